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

/** Where bytes are kept that are too large for the database. */
export interface Store {
  /** The folder in which files are made that will be stored. */
  spoolFolder: string;
  /** What people read of it: its folder or its address. */
  place: string;
  /** Stores a file as a whole, or not at all. The file may be gone afterwards. */
  put(key: string, file: LocalFile): Promise<void>;
  /** The bytes under a key. @throws if there are none, before the first byte. */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** Deletes what is under a key. Nothing there is a success. */
  delete(key: string): Promise<void>;
}
