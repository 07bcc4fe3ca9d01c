import { ApiError } from "@promptreg/core/errors";
import { CheckError, type Explanation, explain, InputError } from "../errors.ts";
import { exitCodeOf } from "../exit-codes.ts";

/** What became of a folder that was refused; the others go on. */
export interface Refused {
  folder: string;
  /** Null where it is not known. */
  ref: string | null;
  status: "refused";
  error: Explanation;
  exitCode: number;
}

/** Keeps why a folder was refused. */
export type Refuse = (folder: string, error: unknown, ref?: string) => void;

/** For a single folder: the refusal ends the command. */
export const refuseAll: Refuse = (_, error) => {
  throw error;
};

/** What becomes of many folders, in their order. */
export interface Results<T> {
  done: (result: T) => void;
  /** @throws what makes it senseless to go on: a server that is away, a token that is not taken, a fault of our own. */
  refuse: Refuse;
  /** Those of which something has become so far. */
  soFar: () => (T | Refused)[];
  /** That of the first that was refused. */
  exitCode: () => number;
}

/** Gathers results folder by folder, so that one bad folder spoils no other. */
export function gatherResults<T extends { folder: string }>(folders: readonly string[]): Results<T> {
  const done = new Map<string, T>();
  const refused = new Map<string, Refused>();
  return {
    done: (result) => void done.set(result.folder, result),
    refuse(folder, error, ref) {
      if (!isOfOne(error)) throw error;
      const one = { folder, ref: ref ?? null, status: "refused" as const };
      refused.set(folder, { ...one, error: explain(error), exitCode: exitCodeOf(error) });
    },
    soFar: () => folders.flatMap((folder) => done.get(folder) ?? refused.get(folder) ?? []),
    exitCode: () => folders.map((folder) => refused.get(folder)).find(Boolean)?.exitCode ?? 0,
  };
}

/** All other folders would be told the same. */
const ofAll = ["token_scope", "account_suspended"];
const away = [502, 503, 504];

function isOfOne(error: unknown): boolean {
  if (!(error instanceof ApiError)) return error instanceof InputError || error instanceof CheckError;
  return error.status !== 401 && !away.includes(error.status) && !ofAll.includes(error.code);
}
