/**
 * Runs tests over a copy of the checkout, each time that a message names some, in one Vitest: its PostgreSQL and what it has
 * transformed stay. It says `progress` after each test, and at the end which files failed.
 */
import { join } from "node:path";
import { createVitest } from "vitest/node";
import type { Tests } from "./related.ts";

/** Some tests of one package, and the source that has another text for them. */
export type Asked = Tests & { changed: string };
export type Said = "ready" | "progress" | { failed: string[] };

const copy = process.argv[2] ?? "";
const say = (said: Said) => process.send?.(said);

const vitest = await createVitest("test", {
  root: copy,
  config: join(copy, "vitest.workspace.ts"),
  watch: false,
  bail: 1,
  // Beside this one there are as many others as there are cores.
  maxWorkers: 2,
  reporters: [{ onTestCaseResult: () => say("progress") }],
});
await vitest.standalone();

async function run({ project, files, changed }: Asked): Promise<void> {
  const source = join(copy, changed);
  vitest.invalidateFile(source);
  const specifications = files
    .flatMap((file) => vitest.getModuleSpecifications(join(copy, file)))
    .filter((one) => one.project.name === project);
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  // It is put back without a word.
  vitest.invalidateFile(source);
  const failed = testModules
    .filter((module) => module.state() === "failed")
    .map(({ moduleId }) => moduleId.slice(copy.length + 1));
  // What breaks outside of a test belongs to one of those that ran.
  say({ failed: unhandledErrors.length > 0 && failed.length === 0 ? files : failed });
}

process.on("message", (asked: Asked) => void run(asked));
say("ready");
