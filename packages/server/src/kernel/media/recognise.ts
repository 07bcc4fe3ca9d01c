import { open } from "node:fs/promises";
import { limits, type MediaKind } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { fileTypeFromBuffer } from "file-type";
import type { LocalFile } from "../store/store.ts";

/** What a file seems to be. Decoding settles it. */
export interface Recognised {
  kind: MediaKind;
  mediaType: string;
}

/** What can be shown, by what the library calls it. */
const shown: Readonly<Record<string, Recognised>> = Object.fromEntries(
  Object.entries({
    image: "jpeg png webp gif avif",
    video: "mp4 quicktime webm matroska x-matroska x-m4v",
    audio: "mpeg wav vnd.wave ogg flac x-flac aac mp4 x-m4a",
  } as const).flatMap(([kind, names]) =>
    names.split(" ").map((name) => [`${kind}/${name}`, { kind, mediaType: `${kind}/${name}` } as Recognised]),
  ),
);

const most: Readonly<Record<MediaKind, number>> = {
  image: limits.imageBytes,
  video: limits.videoBytes,
  audio: limits.audioBytes,
  model3d: limits.modelBytes,
  file: limits.fileBytes,
};

/** Enough for every type that the library tells by its beginning. */
const headBytes = 4_100;

/**
 * Says what a file seems to be, by its beginning.
 * @throws {ApiError} `unsupported_media_type` or `payload_too_large`.
 */
export async function recognise(file: LocalFile, purpose: "show" | "file"): Promise<Recognised> {
  const head = await headOf(file.path);
  const found = purpose === "file" ? await asFile(head) : await asShown(head, file.size);
  if (file.size > most[found.kind]) {
    const type = found.kind === "model3d" ? "A 3D model" : `Media of the kind ${found.kind}`;
    throw apiError("payload_too_large", {
      message: `${type} can have ${most[found.kind] / 1024 / 1024} MiB. This has ${file.size} bytes.`,
    });
  }
  return found;
}

async function headOf(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(headBytes), 0, headBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function asShown(head: Uint8Array, size: number): Promise<Recognised> {
  const text = Buffer.from(head.subarray(0, 16)).toString("latin1");
  if (text.startsWith("glTF")) return { kind: "model3d", mediaType: "model/gltf-binary" };
  if (isStl(head, size)) return { kind: "model3d", mediaType: "model/stl" };
  // A cover can be longer than the beginning.
  if (text.startsWith("ID3")) return { kind: "audio", mediaType: "audio/mpeg" };
  const { mime = "" } = (await fileTypeFromBuffer(head)) ?? {};
  if (mime === "image/apng" || text.startsWith("ftypavis", 4))
    throw apiError("unsupported_media_type", {
      message: "An animated PNG or AVIF would stand still here. Send it as GIF or WebP.",
    });
  const found = shown[mime.replace(/^(application|video)\/ogg.*/, "audio/ogg").split(";")[0] ?? ""];
  if (found) return found;
  throw apiError("unsupported_media_type", {
    message: `This is not what can be shown: a picture (JPEG, PNG, WebP, GIF, AVIF), a video, a sound or a 3D model (GLB, STL). To offer it as a download, send purpose=file.`,
  });
}

/** STL has no mark: its binary form has a length that fits its number of triangles, its text begins with two words. */
function isStl(head: Uint8Array, size: number): boolean {
  const text = Buffer.from(head).toString("latin1");
  if (text.startsWith("solid") && text.includes("facet")) return !text.includes("\0");
  return size >= 84 && head.length >= 84 && 84 + 50 * Buffer.from(head).readUInt32LE(80) === size;
}

/** Types that a browser would run. They leave as bytes. */
const active = /html|xml|svg|javascript/;

async function asFile(head: Uint8Array): Promise<Recognised> {
  const { mime } = (await fileTypeFromBuffer(head)) ?? {};
  const mediaType = mime ?? (isText(head) ? "text/plain" : "application/octet-stream");
  return { kind: "file", mediaType: active.test(mediaType) ? "application/octet-stream" : mediaType };
}

/** The last character of the beginning may be cut. */
function isText(head: Uint8Array): boolean {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true }).includes("\0");
  } catch {
    return false;
  }
}
