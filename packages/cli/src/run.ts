import type { Io } from "./terminal/io.ts";
import { CommanderError } from "commander";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { createProgram } from "./program.ts";
import { version } from "./version.ts";

/** Runs one command line, without the name of the program, and gives its exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let exitCode: number = exitCodes.ok[0];
  const program = createProgram(io, (code) => {
    exitCode = code;
  });
  try {
    if (isVersion(argv)) io.stdout.write(`${version()}\n`);
    else await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has said it already.
    if (!(error instanceof CommanderError)) {
      const { createOutput } = await import("./terminal/output.ts");
      createOutput(io, program.opts()).error(error);
    }
    return exitCodeOf(error);
  }
}

/** Only alone: a `push -v` that told a version would not have pushed. */
const isVersion = ([word = "", ...others]: readonly string[]) =>
  /^(-v|--version)$/.test(word) && others.length === 0;
