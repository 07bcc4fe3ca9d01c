import { type CheckedFile, checkFiles, contentHash, type FileInput } from "@promptreg/core/content";
import type { Manifest } from "../local/manifest.ts";
import { readStateFile, type StatePlace, writeStateFile } from "../local/state-file.ts";
import { inputOf } from "../pull/merge-files.ts";
import { isObject } from "../../terminal/objects.ts";

/** What a source said of a prompt beside its files. */
export type About = Pick<Manifest, "title" | "summary" | "tags" | "license">;

/** What the last import brought: a later one merges what changed since, here and in the source. */
export interface ImportBase {
  about: Partial<About>;
  /** Of binary files the digests alone: they cannot be merged. */
  files: readonly CheckedFile[];
}

const fileName = "imported.json";

/** Null if it is not known, as in a new clone. `fromHash` of the manifest says whether it is the one. */
export async function readBase(place: StatePlace, fromHash: string | undefined): Promise<ImportBase | null> {
  const { about, files } = await readStateFile(place, fileName);
  if (fromHash === undefined || !isObject(about) || !Array.isArray(files)) return null;
  const { files: texts } = await checkFiles(files.filter(isText));
  const all = [...texts, ...files.filter(isDigest)];
  const isWhole = (await contentHash(all)) === fromHash;
  return isWhole ? { about, files: all } : null;
}

/** Without it, as on a disk that is full now, the folder is as good as one in a new clone. */
export async function noteBase(folder: string, { about, files }: ImportBase): Promise<void> {
  const kept: (FileInput | Omit<CheckedFile, "bytes">)[] = files.map(({ bytes, ...file }) =>
    file.encoding === "utf8" ? inputOf({ ...file, bytes }) : file,
  );
  await writeStateFile(folder, fileName, { about, files: kept }).catch(() => {});
}

const isText = (file: unknown): file is FileInput =>
  isObject(file) &&
  typeof file["path"] === "string" &&
  typeof file["content"] === "string" &&
  isMode(file["mode"]) &&
  (file["encoding"] ?? "utf8") === "utf8";

/** Of a binary file. */
const isDigest = (file: unknown): file is CheckedFile =>
  isObject(file) &&
  typeof file["path"] === "string" &&
  typeof file["sha256"] === "string" &&
  isMode(file["mode"]) &&
  file["encoding"] === "base64";

const isMode = (mode: unknown) => mode === "100644" || mode === "100755";
