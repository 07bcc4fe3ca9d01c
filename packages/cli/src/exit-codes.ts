import { ApiError } from "@promptreg/core/errors";
import type { CommanderError } from "commander";
import { CheckError, GateError, InputError, Interrupted, UsageError } from "./errors.ts";

/** What the command's end means to scripts. A number keeps its meaning for ever; this is the only list of them. */
export const exitCodes = {
  ok: [0, "It worked."],
  unexpected: [1, "Unexpected error."],
  usage: [2, "The command line is wrong."],
  notAllowed: [3, "There is no token, or the token may not do this (401, 403)."],
  notFound: [4, "Not found, or deleted (404, 410)."],
  conflict: [5, "The current state does not allow it (409, 412)."],
  refusedInput: [6, "A file or a value breaks the rules (400, 413, 415, 416, 422)."],
  unavailable: [7, "The server is unavailable or too busy (429, 5xx)."],
  evalFailed: [8, "The evals failed: the verdict is fail, or too few cases passed."],
  checkFailed: [9, "A check failed: of a lockfile, a signature, a diff."],
  regression: [10, "The evals got worse than before, by more than noise."],
  notComparable: [11, "The evals cannot be compared, or some are missing or outdated."],
  interrupted: [130, "Stopped by Ctrl-C or another signal, or by the answer no."],
} as const satisfies Record<string, readonly [code: number, meaning: string]>;

/** The list as help shows it. */
export const exitCodesText = `Exit codes:\n${Object.values(exitCodes)
  .map(([code, meaning]) => `${String(code).padStart(5)}  ${meaning}`)
  .join("\n")}`;

const byStatus: Record<number, keyof typeof exitCodes> = {
  400: "refusedInput",
  401: "notAllowed",
  403: "notAllowed",
  404: "notFound",
  409: "conflict",
  410: "notFound",
  412: "conflict",
  413: "refusedInput",
  415: "refusedInput",
  416: "refusedInput",
  422: "refusedInput",
  429: "unavailable",
};

/** The exit code of an error, whichever command it ended. */
export function exitCodeOf(error: unknown): number {
  const [code] = exitCodes[meaningOf(error)];
  return code;
}

function meaningOf(error: unknown): keyof typeof exitCodes {
  if (error instanceof UsageError) return "usage";
  if (error instanceof InputError) return "refusedInput";
  if (error instanceof CheckError) return "checkFailed";
  if (error instanceof GateError) return error.meaning;
  if (error instanceof Interrupted) return "interrupted";
  // An answer of success that is none comes from something else than the registry.
  if (error instanceof ApiError)
    return error.status >= 500 || error.status < 400
      ? "unavailable"
      : (byStatus[error.status] ?? "unexpected");
  if (!(error instanceof Error)) return "unexpected";
  // By name, because their classes come with all of the client and of commander.
  if (error.name === "CommanderError" || error.name === "InvalidArgumentError")
    return (error as CommanderError).exitCode === 0 ? "ok" : "usage";
  return error.name === "ConnectionError" ? "unavailable" : "unexpected";
}
