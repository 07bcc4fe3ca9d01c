// What tests do in a short form, whole: a thousand generated requests to every operation, where they send ten; after every change
// every read, where they ask those that read what was written; every hostile text, where they leave out those that begin otherwise.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { isShort } from "../../scripts/short.ts";

const root = join(import.meta.dirname, "../..");
/** The short form takes one small group, and what growth costs stays away. */
const files = isShort
  ? ["/stars/contract.test.ts"]
  : ["/contract.test.ts", "/etags.test.ts", "/growth.test.ts"];
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const { status } = spawnSync(
  process.execPath,
  [
    vitest,
    "run",
    "--config",
    "vitest.workspace.ts",
    ...files,
    "-t",
    "whatever is sent|an ETag|no text costs more",
    "--testTimeout",
    "600000",
  ],
  { cwd: root, stdio: "inherit", env: { THOROUGH: "1", ...process.env } },
);
process.exit(status ?? 1);
