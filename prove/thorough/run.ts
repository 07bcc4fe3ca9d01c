// What tests do in a short form, whole: a thousand generated requests to every operation, where they send five; after every change
// every read, where they ask a third of those that read what was written; every hostile text, where they leave out those that begin otherwise;
// a kill at every step, hundreds of random scenes. Words choose files by their path: `npm run prove -- thorough killed lock`.
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isShort } from "../../scripts/short.ts";

const root = join(import.meta.dirname, "../..");
/** What tests with a long form name: the switch itself, or what has one for all who use it. */
const hasLongForm = /\b(isThorough|complaintAbout|testContract)\b/;
const all = globSync("packages/*/{src,test}/**/*.test.ts", { cwd: root }).filter((file) =>
  hasLongForm.test(readFileSync(join(root, file), "utf8")),
);
/** The short form takes one small group, and what growth costs stays away. */
const words = isShort ? ["/stars/contract.test.ts"] : process.argv.slice(2);
const files = all.filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
if (files.length === 0) {
  console.error(
    `No test with a long form is named ${words.join(" or ")}. These have one:\n${all.join("\n")}`,
  );
  process.exit(2);
}
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "--config", "vitest.workspace.ts", ...files, "--testTimeout", "600000"],
  { cwd: root, stdio: "inherit", env: { THOROUGH: "1", ...process.env } },
);
process.exit(status ?? 1);
