import { smallBytes } from "../../../kernel/http/holdings.ts";

/** A file in an archive. */
export interface ArchiveFile {
  path: string;
  mode: "100644" | "100755";
  content: Uint8Array;
}

/** What an archive is made of. */
export interface Archive {
  /** In the order of their paths. */
  files: AsyncIterable<ArchiveFile> | Iterable<ArchiveFile>;
  /** The time of all files: an archive made again has the same bytes. */
  time: Date;
}

/** Chunks that a slow client can be seen to read. */
export function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += smallBytes) yield bytes.subarray(at, at + smallBytes);
}
