import { pathFromTo } from "../../disk/places.ts";
import { createReadStream, existsSync, lstatSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Archive } from "@promptreg/core/archives";
import type { Place } from "@promptreg/core/imports";
import { makeScratch } from "../../disk/scratch.ts";
import { InputError, Interrupted, UsageError } from "../../errors.ts";
import type { Context } from "../../settings/context.ts";
import { createSelection } from "../local/selection.ts";
import { download, type Downloaded } from "./download.ts";
import { type LocalSource, openFolder } from "./folder-source.ts";

/** What an import looks at. */
export interface NamedSource extends LocalSource {
  /** Where a file of it is, for the `from` of manifests. */
  fromOf: (path: string) => string;
  /** Whether a prompt came from it, of a file that it has no more. */
  isGone: (from: string) => boolean;
}

/**
 * Opens a folder, a file, an archive, or what an address leads to, for `work`. What was downloaded and unpacked for it is deleted
 * afterwards.
 * @throws {InputError} if nothing is there, or an archive breaks a limit.
 */
export async function withSource<T>(
  context: Context,
  place: string,
  into: string,
  work: (source: NamedSource) => Promise<T>,
): Promise<T> {
  const { looksLikeArchive } = await import("./archives.ts");
  const found = lstatSync(place, { throwIfNoEntry: false });
  const isArchive = found?.isFile() === true && (await looksLikeArchive(place));
  if (found !== undefined && !isArchive) {
    const source = await openFolder(place, createSelection([place], context.output.note));
    const root = pathFromTo(into, source.root);
    const isOfRoot = (from: string) =>
      from.startsWith(`${root}/`) && !pathFromTo(root, fileOf(from)).startsWith("..");
    return work({
      ...source,
      fromOf: (path) => pathFromTo(into, join(source.root, path)),
      isGone: (from) => isOfRoot(from) && !existsSync(join(into, fileOf(from))),
    });
  }
  const signal = context.holdInterrupts();
  const folder = await makeScratch();
  try {
    const fetched = isArchive
      ? { file: place, name: pathFromTo(into, place), path: "", isRepository: false }
      : await download(context, await placeOf(place), { file: join(folder, "download"), signal });
    const isPacked = isArchive || fetched.isRepository || (await looksLikeArchive(fetched.file));
    if (!isPacked) return await work(singleFile(fetched));
    const archive = await unpacked(fetched, folder, signal);
    try {
      return await work(sourceOf(archive, fetched));
    } finally {
      await archive.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function placeOf(text: string): Promise<Place> {
  const { parsePlace, PlaceError } = await import("./detect.ts");
  try {
    const place = parsePlace(text);
    if (place !== null) return place;
  } catch (error) {
    throw error instanceof PlaceError ? new UsageError(error.message) : error;
  }
  throw new InputError(
    `${text} does not exist. Name a folder, a file, an archive, an address, or a repository on GitHub: owner/name.`,
  );
}

async function unpacked({ file, name, isRepository }: Downloaded, folder: string, signal: AbortSignal) {
  const { ArchiveError, openArchive } = await import("./archives.ts");
  const scratch = join(folder, "unpacked");
  await mkdir(scratch);
  try {
    return await openArchive(file, { scratch, signal, stripRoot: isRepository });
  } catch (error) {
    if (signal.aborted) throw new Interrupted("Nothing was written.");
    throw error instanceof ArchiveError ? new InputError(`${name}: ${error.message}`) : error;
  }
}

/** Without the part of it: `prompts.csv#Linux Terminal`. */
const fileOf = (from: string): string => from.split("#", 1)[0] ?? from;

function sourceOf(archive: Archive, { name, path }: Downloaded): NamedSource {
  const { files, refused } = archive;
  const prefix = path === "" ? "" : `${path}/`;
  const from = new Set(files.map((one) => `${name}/${one.path}`));
  if (prefix !== "" && !files.some((one) => one.path === path || one.path.startsWith(prefix)))
    throw new InputError(`${name} has no ${path}.`);
  return {
    fromOf: (one) => `${name}/${one}`,
    isGone: (one) => one.startsWith(`${name}/`) && !from.has(fileOf(one)),
    root: "",
    project: basename(name).replace(/\.(?:zip|tgz|tar(?:\.\w+)?)$/i, ""),
    files,
    leftOut: refused,
    isWanted: (one) => one === path || one.startsWith(prefix),
    read: (one) => archive.read(one),
    stream: (one) => archive.stream(one),
  };
}

/** Tools know their files by the folders above, so the whole path at its server is that of the file. */
function singleFile({ file, name: address }: Downloaded): NamedSource {
  const { size } = lstatSync(file);
  const path = address.slice(address.indexOf("/") + 1);
  return {
    fromOf: () => address,
    isGone: () => false,
    root: "",
    project: "",
    files: [{ path, size, mode: "100644" }],
    alone: path,
    isWanted: () => true,
    read: () => readFile(file),
    stream: () => createReadStream(file),
  };
}
