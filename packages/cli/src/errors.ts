import type { ConnectionError } from "@promptreg/client";
import { ApiError, type ErrorDetail } from "@promptreg/core/errors";

/** The command line asks for something that cannot be; the message says what to write. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** One thing that is wrong, and the field, file or place that it is about. */
export type Detail = Pick<ErrorDetail, "path" | "message">;

/** A file or a value breaks the rules; each detail names one place and what is wrong there. */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly details: readonly Detail[];

  constructor(message: string, details: readonly Detail[] = []) {
    super(message);
    this.details = details;
  }
}

/** Something that was to be checked does not hold: a lockfile, a signature. */
export class CheckError extends Error {
  override readonly name = "CheckError";
}

/** Evals do not allow what was asked for; each detail is one more reason. */
export class GateError extends Error {
  override readonly name = "GateError";
  /** The meaning of the exit code. */
  readonly meaning: keyof typeof gateCodes;
  readonly details: readonly Detail[];

  constructor(meaning: keyof typeof gateCodes, message: string, details: readonly Detail[] = []) {
    super(message);
    this.meaning = meaning;
    this.details = details;
  }
}
const gateCodes = {
  regression: "regression",
  evalFailed: "eval_failed",
  notComparable: "not_comparable",
};

/** Ctrl-C, or an answer of no. What was done until then stays done, and was told. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** What is said of an error: a sentence for people, and for programs the fields that they act upon. */
export interface Explanation {
  code: string;
  message: string;
  details: readonly Detail[];
  requestId?: string | undefined;
}

const denied = "permission denied. Change its permissions, or use another place";
/** What the system says of a file or a folder, and what to do. */
const faults: Record<string, string> = {
  EACCES: denied,
  EBUSY: "another program is using it. Close that program",
  EDQUOT: "your disk quota is used up. Free some space",
  EEXIST: "it exists already",
  EISDIR: "it is a folder, not a file",
  ELOOP: "its symbolic links lead in a circle",
  EMFILE: "too many files are open. Close other programs",
  ENAMETOOLONG: "the name is too long. Use a shorter one",
  ENOENT: "it does not exist, or nothing can be created there",
  ENOSPC: "the disk is full. Free some space",
  ENOTDIR: "a part of its path is a file, not a folder",
  EPERM: denied,
  EROFS: "the disk is read-only. Use another place",
};

/** Why the system refused to read or to write; in its own words where we have none. */
export function faultOf(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return faults[code] ?? message.replace(/\.$/, "");
}

/** An error of a file or a folder that no command has put into words: as one of the input. */
export function nameFault(error: unknown): unknown {
  const { code = "", path, syscall } = Object(error) as NodeJS.ErrnoException;
  const isOfFile =
    path !== undefined && Object.hasOwn(faults, code) && !/^(spawn|connect)/.test(syscall ?? "");
  return isOfFile ? new InputError(`${path} cannot be used: ${faultOf(error)}.`) : error;
}

const advice: Record<string, string> = {
  unauthenticated: "Run `promptreg login`, or set PROMPTREG_TOKEN.",
  invalid_token: "`promptreg config` shows where it comes from. `promptreg login` replaces it.",
  not_eligible: "`promptreg contest eligible` lists what is yours, and why some of it cannot be entered.",
  label_conflict: "Nothing was changed.",
  prompt_not_published: "`promptreg api prompts.versions.create owner=… slug=…` commits its draft.",
};

/** Says what to do about this one error, instead of what is said of its code. */
export const advise = <T extends Error>(error: T, text: string): T => Object.assign(error, { advice: text });

/** If the answer of a change is lost, says where to look whether it was made. */
export const lookAt = <T>(change: Promise<T>, command: string): Promise<T> =>
  change.catch((error: Error & { isSent?: boolean }) => {
    throw error.isSent ? advise(error, `\`${command}\` shows it.`) : error;
  });

/** What commander says of an argument, with its name alone before what is wrong with it. */
export const shortened = (message: string): string =>
  message.replace(/^(error: )command-argument value '.*' is invalid for argument '([^']+)'\./s, "$1$2:");

/** What commander says, as a sentence of ours: without a command it says nothing. */
const saidBy = (message: string) =>
  message === "(outputHelp)"
    ? "A command is missing. --help lists them."
    : shortened(message)
        .replace(/^error: /, "")
        .replaceAll("\n", " ");

/** Explains any error to whoever ran the command. */
export function explain(error: unknown): Explanation {
  if (error instanceof ApiError) {
    const {
      code,
      message,
      details,
      requestId,
      advice: text = advice[code],
    } = error as ApiError & { advice?: string };
    return { code, message: [message, text].filter(Boolean).join(" "), details, requestId };
  }
  if (error instanceof InputError)
    return { code: "refused_input", message: error.message, details: error.details };
  if (error instanceof GateError)
    return { code: gateCodes[error.meaning], message: error.message, details: error.details };
  const { name, message } = error instanceof Error ? error : { name: "", message: String(error) };
  if (error instanceof CheckError) return { code: "check_failed", message, details: [] };
  if (error instanceof Interrupted) return { code: "interrupted", message, details: [] };
  if (name === "CommanderError") return { code: "usage", message: saidBy(message), details: [] };
  if (name === "UsageError") return { code: "usage", message, details: [] };
  if (name === "ConnectionError") {
    const { isSent, advice: text } = error as ConnectionError & { advice?: string };
    // The names of the client's options mean nothing here.
    const said = message.replace(/ \((timeout|deadline)Ms\)/, "");
    const more = isSent ? text : "(--url or the variable PROMPTREG_URL)";
    return { code: "unreachable", message: [said, more].filter(Boolean).join(" "), details: [] };
  }
  return {
    code: "unexpected",
    message: `Unexpected error: ${message}. Run the command again with --debug to see where.`,
    details: [],
  };
}

/** Does something with one of several things. What fails says which it was. */
export async function naming<Result>(what: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    throw Object.assign(error as Error, { message: `${what}: ${(error as Error).message}` });
  }
}

/** What a read gives for what is not there, or was deleted. */
export function absent(error: Error & { status?: unknown }): null {
  if (error.status === 404 || error.status === 410) return null;
  throw error;
}
