const byExtension = new Map(
  Object.entries({
    "text/markdown": "md markdown mdc",
    "text/csv": "csv",
    "text/html": "html htm",
    "text/css": "css",
    "text/javascript": "js mjs cjs",
    "text/x-python": "py",
    "text/x-shellscript": "sh bash",
    "application/json": "json",
    "application/x-ndjson": "jsonl ndjson",
    "application/yaml": "yaml yml",
    "application/toml": "toml",
    "application/xml": "xml",
    "application/pdf": "pdf",
    "application/zip": "zip",
    "image/png": "png",
    "image/jpeg": "jpg jpeg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/avif": "avif",
    "image/svg+xml": "svg",
    "audio/mpeg": "mp3",
    "audio/wav": "wav",
    "audio/ogg": "ogg",
    "video/mp4": "mp4",
    "video/webm": "webm",
    "model/gltf-binary": "glb",
  }).flatMap(([type, extensions]) => extensions.split(" ").map((extension) => [extension, type] as const)),
);

/** The media type of a path's extension. A file with an unknown extension is plain text or bytes. */
export function mediaType(path: string, encoding: "utf8" | "base64"): string {
  const [, extension] = /\.([^./]+)$/.exec(path) ?? [];
  const known = extension === undefined ? undefined : byExtension.get(extension.toLowerCase());
  return known ?? (encoding === "utf8" ? "text/plain" : "application/octet-stream");
}
