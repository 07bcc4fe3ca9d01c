import type { Source } from "../imports/source.ts";

/** An archive that was opened: its files, which are read when they are asked for. */
export interface Archive extends Source {
  /** Entries that are not among the files, and why: a sentence. The first 100. */
  refused: { path: string; reason: string }[];
  /** How many are not among the files. */
  leftOut: number;
  /** The folder that held all files and was left out of their paths. */
  root: string | null;
  /** The commit that git made the archive of. */
  commit: string | null;
  /** Closes what is open. Nothing can be read afterwards. */
  close(): Promise<void>;
}

export interface ArchiveOptions {
  /** An empty folder for what is unpacked. Whoever made it deletes it. No name of the archive gets there. */
  scratch: string;
  /** Ends the work. */
  signal?: AbortSignal;
  /** Leaves out the one folder that holds all files, as archives of repositories have it. */
  stripRoot?: boolean;
}

/** Why a file is no archive, or one that is not unpacked: a sentence. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
}

/** The most that an archive may have. A small one may be packed as tightly as it likes. */
export const archiveLimits = {
  entries: 20_000,
  unpackedBytes: 1024 ** 3,
  ratio: 100,
  freeBytes: 10 * 1024 ** 2,
};
