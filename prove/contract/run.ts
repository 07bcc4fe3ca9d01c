// Sends every operation a thousand generated requests, where the tests send ten: no answer of ours may be a fault,
// or one that the contract does not declare. And asks every read after every change whether its ETag changes with its content, where the
// tests ask those that read what was written.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const { status } = spawnSync(
  process.execPath,
  [
    vitest,
    "run",
    "--config",
    "vitest.workspace.ts",
    "--project",
    "server",
    "/contract.test.ts",
    "src/etags.test.ts",
    "-t",
    "whatever is sent|an ETag",
    "--testTimeout",
    "600000",
  ],
  { cwd: root, stdio: "inherit", env: { CONTRACT_RUNS: "1000", ETAGS: "all", ...process.env } },
);
process.exit(status ?? 1);
