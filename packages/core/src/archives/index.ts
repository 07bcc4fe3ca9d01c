/** Archives of strangers as sources of imports, and the parts of a tar. For Node. */

import { open } from "node:fs/promises";
import { type Archive, ArchiveError, type ArchiveOptions } from "./archive.ts";

export { type TarEntry, tarEntries } from "./tar-entries.ts";
export { tarEnd, type TarFile, tarHeader, tarPadding } from "./tar-header.ts";
export { type Archive, ArchiveError, type ArchiveOptions, archiveLimits } from "./archive.ts";

/**
 * Opens a zip or a tar.gz on disk. It may be hostile: what comes out of it is bounded in number, size and ratio (`archiveLimits`), no
 * name of it reaches the disk, links are left out, and archives in it stay files.
 * @throws {ArchiveError} if it is no archive, breaks a limit, or is damaged. Reading one file can throw an `ImportError`.
 */
export async function openArchive(file: string, options: ArchiveOptions): Promise<Archive> {
  const start = await startOf(file);
  if (isZip(start)) return (await import("./zip.ts")).openZip(file, options);
  if (isGzip(start)) return (await import("./tar.ts")).openTarGz(file, options);
  throw new ArchiveError("It is no zip and no tar.gz.");
}

/** Whether a file begins as an archive does. */
export async function looksLikeArchive(file: string): Promise<boolean> {
  const start = await startOf(file);
  return isZip(start) || isGzip(start);
}

async function startOf(path: string): Promise<string> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
  return buffer.toString("latin1", 0, bytesRead);
}

const isZip = (start: string) => start === "PK\x03\x04" || start === "PK\x05\x06";
const isGzip = (start: string) => start.startsWith("\x1f\x8b");
