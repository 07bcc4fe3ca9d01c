import type { Readable } from "node:stream";

/** A file on the disk of this machine that is to be stored. */
export interface LocalFile {
  path: string;
  size: number;
  sha256: string;
}

/** The first and the last byte that are wanted, counted from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/** A store that is away, or does not do as it was asked. Its code is one for which the API answers 503. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code = "ECONNSTORE";
}

/** A store that has nothing under a key, or other bytes than were stored: waiting does not help. */
export class LostFileError extends Error {
  override readonly name = "LostFileError";
  readonly code = "LOST_FILE";
}

/** Where bytes are kept that are too large for the database. */
export interface Store {
  /** The folder in which files are made that will be stored. */
  spoolFolder: string;
  /** What people read of it: its folder or its address. */
  place: string;
  /** Stores a file as a whole, or not at all. The file may be gone afterwards. */
  put(key: string, file: LocalFile): Promise<void>;
  /**
   * The bytes under a key.
   * @throws {LostFileError} if there are none, before the first byte.
   */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** Deletes what is under a key. Nothing there is a success. */
  delete(key: string): Promise<void>;
}
