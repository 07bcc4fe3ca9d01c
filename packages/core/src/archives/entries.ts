import { pathProblems } from "../content/paths.ts";
import { isLeftOut, type SourceFile } from "../imports/source.ts";
import { type Archive, ArchiveError, archiveLimits } from "./archive.ts";

const mostRefused = 100;
/** Deeper than a version's files: folders of a repository come before. The same as where prompts are installed. */
const pathLimits = { bytes: 1024, levels: 16 };

type File<Where> = Omit<SourceFile, "path"> & { where: Where };

/** Gathers the entries of an archive of `packedBytes`, and refuses it once it is more than archives may be. */
export class Entries<Where> {
  readonly #refused: Archive["refused"] = [];
  #leftOut = 0;
  readonly #files = new Map<string, File<Where>>();
  /** Of their content together. */
  readonly #maxBytes: number;
  #count = 0;
  #bytes = 0;

  constructor(packedBytes: number) {
    const { unpackedBytes, ratio, freeBytes } = archiveLimits;
    this.#maxBytes = Math.min(unpackedBytes, Math.max(freeBytes, packedBytes * ratio));
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
    if (this.#bytes <= this.#maxBytes) return;
    throw new ArchiveError(
      this.#maxBytes === archiveLimits.unpackedBytes
        ? "It holds more than 1 GiB."
        : `It holds more than ${archiveLimits.ratio} times what it takes packed.`,
    );
  }

  add(name: string, file: File<Where>): void {
    const path = name.replace(/^(?:\.\/)+/, "").normalize("NFC");
    if (isLeftOut(path)) return;
    if (this.#files.has(path)) this.refuse(name, "Another entry has this path.");
    else this.#files.set(path, file);
  }

  refuse(path: string, reason: string): void {
    this.#leftOut += 1;
    if (this.#refused.length < mostRefused)
      this.#refused.push({ path: path.slice(0, pathLimits.bytes).toWellFormed(), reason });
  }

  /** What the archive is, and where the content of each file is. */
  finish(stripRoot: boolean) {
    const paths = [...this.#files.keys()];
    for (const [index, problem] of pathProblems(paths, pathLimits)) {
      const path = paths[index] ?? "";
      this.refuse(path, `Its path ${problem}.`);
      this.#files.delete(path);
    }
    const root = stripRoot ? rootOf(this.#files.keys()) : "";
    const kept = new Map(Array.from(this.#files, ([path, file]) => [path.slice(root.length), file]));
    return {
      files: Array.from(kept, ([path, { size, mode }]) => ({ path, size, mode })),
      refused: this.#refused,
      leftOut: this.#leftOut,
      root: root === "" ? null : root.slice(0, -1),
      at: (path: string): File<Where> => {
        const file = kept.get(path);
        if (file === undefined) throw new TypeError(`The archive has no ${path}.`);
        return file;
      },
    };
  }
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
