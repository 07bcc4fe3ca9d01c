import { createReadStream } from "node:fs";
import { mkdir, readFile, stat } from "node:fs/promises";
import type { FileInput, ImportSource } from "@promptreg/core";
import { ArchiveError, openArchive } from "@promptreg/core/archives";
import type { Source } from "@promptreg/core/imports";
import type { Material } from "../sources/index.ts";

/** A source that has to be closed. */
export interface OpenSource extends Source {
  /** A file by itself is a prompt, if it is nothing else. */
  isNamed: boolean;
  /** What of it cannot be read, as sentences. */
  warnings: readonly string[];
  /** What is known of it now. */
  found: Partial<ImportSource>;
  close(): Promise<void>;
}

/** Opens what was sent or fetched. */
export async function openMaterial(material: Material): Promise<OpenSource> {
  switch (material.type) {
    case "texts":
      return openTexts(material.file);
    case "file":
      return openFile(material);
    case "archive":
    default:
      return openFiles(material);
  }
}

const whole = { isNamed: false, warnings: [], found: {}, close: async () => {} };

/** 16 MiB at most, since a request sent it. */
async function openTexts(file: string): Promise<OpenSource> {
  const sent = JSON.parse(await readFile(file, "utf8")) as FileInput[];
  const contents = new Map(
    sent.map(({ path, content, encoding = "utf8" }) => [path, Buffer.from(content, encoding)]),
  );
  const read = async (path: string) => contents.get(path) ?? Buffer.alloc(0);
  return {
    ...whole,
    files: sent.map(({ path, mode = "100644" }) => ({ path, mode, size: contents.get(path)?.length ?? 0 })),
    read,
    stream: async function* (path) {
      yield await read(path);
    },
  };
}

async function openFile({ file, path }: Extract<Material, { type: "file" }>): Promise<OpenSource> {
  const { size } = await stat(file);
  return {
    ...whole,
    isNamed: true,
    files: [{ path, size, mode: "100644" }],
    read: () => readFile(file),
    stream: () => createReadStream(file),
  };
}

async function openFiles({
  file,
  path = "",
  stripRoot = false,
}: Extract<Material, { type: "archive" }>): Promise<OpenSource> {
  const scratch = `${file}.unpacked`;
  await mkdir(scratch);
  const archive = await openArchive(file, { scratch, stripRoot });
  const { files, refused, leftOut, commit } = archive;
  const below = path === "" ? "" : `${path.replace(/(?<!\/)\/+$/, "")}/`;
  const wanted = files.filter((one) => one.path.startsWith(below));
  if (below !== "" && wanted.length === 0) throw new ArchiveError(`It has no folder ${path}.`);
  const warnings = refused.map(({ path: name, reason }) => `${name}: ${reason}`);
  const more = leftOut - refused.length;
  // A repository stays one, whatever files it has.
  const isChat = !stripRoot && files.some(({ path: name }) => /(^|\/)conversations(-\d+)?\.json$/.test(name));
  return {
    ...whole,
    files: wanted,
    read: (name) => archive.read(name),
    stream: (name) => archive.stream(name),
    warnings: more > 0 ? [...warnings, `${more} more files of the archive are left out.`] : warnings,
    found: { ...(commit !== null && { commit }), ...(isChat && { type: "chatExport" }) },
    close: () => archive.close(),
  };
}
