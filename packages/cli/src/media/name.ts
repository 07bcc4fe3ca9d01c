import type { Media } from "@promptreg/client";

const extensions: Record<string, string> = {
  "image/jpeg": "jpg",
  "image/svg+xml": "svg",
  "audio/mpeg": "mp3",
  "video/quicktime": "mov",
  "model/gltf-binary": "glb",
  "model/stl": "stl",
};

/** A name for media in a folder, by their place there. */
export function nameOfMedia(nth: number, { mediaType }: Media): string {
  const known = extensions[mediaType] ?? /^[a-z]+\/([a-z0-9]{1,8})$/.exec(mediaType)?.[1];
  return `${nth}.${known ?? "bin"}`;
}
