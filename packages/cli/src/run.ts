import type { Io } from "./terminal/io.ts";
import { CommanderError } from "commander";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { createProgram } from "./program.ts";
import { version } from "./version.ts";

/** Runs one command line, without the name of the program, and gives its exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let exitCode: number = exitCodes.ok[0];
  const isJson = wantsJson(argv);
  const setExitCode = (code: number) => {
    exitCode = code;
  };
  const program = createProgram(io, setExitCode, isJson);
  try {
    if (isVersion(argv)) io.stdout.write(`${version()}\n`);
    else await program.parseAsync(argv, { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has said it already, in words.
    if (!(error instanceof CommanderError) || (isJson && error.exitCode !== 0)) {
      const { createOutput } = await import("./terminal/output.ts");
      createOutput(io, { ...program.opts(), json: isJson }).error(error);
    }
    return exitCodeOf(error);
  }
}

/** What commander refuses it has not read to its end. */
const wantsJson = (argv: readonly string[]) =>
  argv.slice(0, [...argv, "--"].indexOf("--")).includes("--json");

/** Only alone: a `push -v` that told a version would not have pushed. */
const isVersion = ([word = "", ...others]: readonly string[]) =>
  /^(-v|--version)$/.test(word) && others.length === 0;
