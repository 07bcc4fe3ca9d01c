import type { SourceFile } from "../imports/source.ts";
import { type Archive, ArchiveError, archiveLimits } from "./archive.ts";

const mostRefused = 100;
const maxPathLength = 1024;

/** Gathers the entries of an archive of `packedBytes`, and refuses it once it is more than archives may be. */
export class Entries<Where> {
  readonly refused: Archive["refused"] = [];
  readonly #files = new Map<string, SourceFile & { where: Where }>();
  /** Of their content together. */
  readonly maxBytes: number;
  #count = 0;
  #bytes = 0;

  constructor(packedBytes: number) {
    const { unpackedBytes, ratio, freeBytes } = archiveLimits;
    this.maxBytes = Math.min(unpackedBytes, Math.max(freeBytes, packedBytes * ratio));
  }

  /** @throws {ArchiveError} for one entry too many. */
  count(entries = 1): void {
    this.#count += entries;
    if (this.#count > archiveLimits.entries)
      throw new ArchiveError(`It has more than ${archiveLimits.entries} files and folders.`);
  }

  /** @throws {ArchiveError} if more comes out of it than may. */
  unpack(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.maxBytes) return;
    throw new ArchiveError(
      this.maxBytes === archiveLimits.unpackedBytes
        ? "It holds more than 1 GiB."
        : `It holds more than ${archiveLimits.ratio} times what it takes packed.`,
    );
  }

  /** The path of a file under which it is taken; null for what is refused. */
  pathOf(name: string): string | null {
    const path = name.replace(/^(?:\.\/)+/, "").normalize("NFC");
    const reason = problemOf(path) ?? (this.#files.has(path) ? "Another entry has this path." : undefined);
    if (reason === undefined) return path;
    this.refuse(name, reason);
    return null;
  }

  add(file: SourceFile & { where: Where }): void {
    this.#files.set(file.path, file);
  }

  refuse(path: string, reason: string): void {
    if (this.refused.length < mostRefused) this.refused.push({ path: path.slice(0, maxPathLength), reason });
  }

  /** The files, and where the content of each is. */
  finish(stripRoot: boolean): { files: SourceFile[]; where: Map<string, SourceFile & { where: Where }> } {
    const root = stripRoot ? rootOf(this.#files.keys()) : "";
    const where = new Map(Array.from(this.#files, ([path, file]) => [path.slice(root.length), file]));
    const files = Array.from(where, ([path, { size, mode }]) => ({ path, size, mode }));
    return { files, where };
  }
}

function problemOf(path: string): string | undefined {
  if (path.length > maxPathLength) return `Its path is longer than ${maxPathLength} characters.`;
  if (/[\p{Cc}\\]/u.test(path)) return "Its name has a backslash or a control character.";
  if (/^(?:\/|[A-Za-z]:)/.test(path)) return "Its path begins at the root of a disk.";
  if (path.split("/").some((part) => /^\.{0,2}$/.test(part)))
    return "Its path has a part that is empty, . or .. and leads elsewhere.";
  return undefined;
}

/** The folder that holds all files, with its slash. */
function rootOf(paths: Iterable<string>): string {
  let root: string | undefined;
  for (const path of paths) {
    root ??= path.slice(0, path.indexOf("/") + 1);
    if (root === "" || !path.startsWith(root)) return "";
  }
  return root ?? "";
}
