import { open, stat } from "node:fs/promises";
import { asSent, MediaError, type Processed, type Task } from "./task.ts";

/** The description of a scene, which is JSON. Its triangles follow it. */
const maxJsonBytes = 16 * 1024 * 1024;

/**
 * Checks a 3D model. It stays as it was sent.
 * @throws {MediaError} if it is none, or leads to other files.
 */
export async function processModel(task: Task): Promise<Processed> {
  if (task.mediaType === "model/gltf-binary") await checkGlb(task.path);
  // An STL has nothing but triangles. It was recognised by its length or its words.
  return asSent(task);
}

async function checkGlb(path: string): Promise<void> {
  const { size } = await stat(path);
  const file = await open(path);
  try {
    const head = Buffer.alloc(20);
    await file.read(head, 0, head.length, 0);
    const length = head.readUInt32LE(12);
    const isGlb =
      head.readUInt32LE(4) === 2 && head.readUInt32LE(8) === size && head.toString("latin1", 16) === "JSON";
    if (!isGlb || length > Math.min(maxJsonBytes, size - head.length)) throw new MediaError(unreadable);
    const json = Buffer.alloc(length);
    await file.read(json, 0, length, head.length);
    checkScene(parse(json.toString("utf8")));
  } finally {
    await file.close();
  }
}

function parse(json: string): Scene {
  try {
    return (JSON.parse(json) ?? {}) as Scene;
  } catch {
    throw new MediaError(unreadable);
  }
}

interface Scene {
  asset?: { version?: unknown } | null;
  buffers?: unknown;
  images?: unknown;
}

/** What shows a model would otherwise load the files that it names, from anywhere. */
function checkScene({ asset, buffers, images }: Scene): void {
  if (typeof asset?.version !== "string") throw new MediaError(unreadable);
  for (const list of [buffers, images]) {
    if (!Array.isArray(list)) continue;
    for (const part of list as ({ uri?: unknown } | null)[]) {
      if (part?.uri !== undefined && !(typeof part.uri === "string" && part.uri.startsWith("data:")))
        throw new MediaError("The model names other files. Put them into it.");
    }
  }
}

const unreadable = "This is no 3D model, or a damaged one.";
