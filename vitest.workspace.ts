import { statfsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// Half of a short command's time goes into reading TypeScript, so that one process or thread reads it for all.
process.env["NODE_COMPILE_CACHE"] = fileURLToPath(new URL("node_modules/.cache/node", import.meta.url));

/** A package under test; `test` takes what only it needs, such as a `globalSetup`. */
const project = (name: string, test: TestProjectInlineConfiguration["test"] = {}) => ({
  extends: true as const,
  test: { name, root: `packages/${name}`, ...test },
});

// Packages import each other's sources in tests, so that what is tested is what is written.
const conditions = ["@promptreg/source", "node", "development|production"];

// Dozens of databases come and go in temporary folders: in memory, where there is room for them.
const memory = "/dev/shm";
const bytesNeeded = 4 * 1024 ** 3;
const statistics = statfsOf(memory);
if (statistics && statistics.bavail * statistics.bsize > bytesNeeded) process.env["TMPDIR"] = memory;

function statfsOf(folder: string) {
  try {
    return statfsSync(folder);
  } catch {
    return undefined;
  }
}

/** Short files that take long. */
const long =
  /\/(plans|crash|serve|scale|killed|slow|eval-resume|contract|receivers-cost|detection|growth)\.test\.ts$/;

/**
 * Begins with what takes longest, so that no worker is left with it at the end: the packages with a PostgreSQL, and in each
 * these files. Vitest goes by what files took the last time; in a new checkout by their size, and these would be last.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const order = ["server", "cli"];
    const rank = ({ project: { name }, moduleId }: TestSpecification) => {
      const nth = order.indexOf(name);
      return 2 * (nth < 0 ? order.length : nth) + (long.test(moduleId) ? 0 : 1);
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    tags: [
      {
        name: "long",
        description:
          "Takes more than half a second, and is not the first test that one would look at. `npm test` alone leaves it out.",
      },
    ],
    projects: [
      project("core"),
      project("client"),
      project("server", { globalSetup: "./test/postgres.ts" }),
      project("cli", { globalSetup: "../server/test/postgres.ts" }),
      project("examples", { root: "examples" }),
    ],
    // One worker more than there are cores, since many tests wait for processes; each loads the contract once, as a fresh
    // process for every file takes four times as long. So a test file closes what it opens and puts back what it changes.
    maxWorkers: availableParallelism() + 1,
    isolate: false,
    // Tests make much that lives shortly; collecting it less often takes a tenth off the processor's time.
    execArgv: [
      "--max-semi-space-size=32",
      `--import=${new URL("scripts/test-use.ts", import.meta.url).href}`,
    ],
    sequence: { sequencer: LongestFirst },
    // Time is no assertion: a slow machine is slow, not wrong. This only ends what hangs.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // postgres.js lets nobody hear that its own statement failed, by which it learns of types after each login.
    onUnhandledError: (error) => !("code" in error && String(error.code).startsWith("CONNECTION_")),
    reporters: ["default", "./scripts/test-count.ts"],
  },
});
