import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import type { FileInput } from "@promptreg/core";
import type { Source } from "@promptreg/core/imports";
import type { Material } from "../sources/index.ts";

/** A source that has to be closed. */
export interface OpenSource extends Source {
  /** What of it cannot be read. */
  warnings: readonly string[];
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
      throw new Error("archives cannot be opened yet");
  }
}

const closed = { warnings: [], close: async () => {} };

/** 16 MiB at most, since a request sent it. */
async function openTexts(file: string): Promise<OpenSource> {
  const sent = JSON.parse(await readFile(file, "utf8")) as FileInput[];
  const contents = new Map(
    sent.map(({ path, content, encoding = "utf8" }) => [path, Buffer.from(content, encoding)]),
  );
  const read = async (path: string) => contents.get(path) ?? Buffer.alloc(0);
  return {
    ...closed,
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
    ...closed,
    files: [{ path, size, mode: "100644" }],
    read: () => readFile(file),
    stream: () => createReadStream(file),
  };
}
