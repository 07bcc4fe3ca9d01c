import { createHash } from "node:crypto";
import {
  FormatError,
  type FormatFile,
  formats,
  type FormatSource,
  writeFormat,
} from "@promptreg/core/formats";
import { InputError } from "../errors.ts";
import type { ReadVersion } from "../requests/read-version.ts";
import { checkPaths } from "./record.ts";
import { formatFor } from "./targets.ts";

/** A file or a section as it is to be written. */
export interface Content {
  bytes: Uint8Array;
  mode: FormatFile["mode"];
  sha256: string;
}

/** What a prompt is for one target, by path. */
export interface Written {
  files: Map<string, Content>;
  sections: Map<string, Content>;
  warnings: readonly string[];
  /** Those of the warnings that say what the tool does by itself. */
  risks: readonly string[];
}

/** Of bytes, in lower-case hex. */
export const sha256Of = (bytes: Uint8Array | string): string =>
  createHash("sha256").update(bytes).digest("hex");

/** Writes a version for a tool or in a format, in memory. */
export function writeFor(
  read: ReadVersion,
  target: string,
  { isGlobal, url }: { isGlobal: boolean; url: string },
): Written {
  const { ref, kind } = read.prompt;
  const {
    files,
    warnings = [],
    risks = [],
    isShared,
  } = asFormat(() => {
    const { format, folder } = formatFor(target, kind, isGlobal);
    return { ...writeFormat(format, sourceOf(read, url), { folder }), isShared: formats[format].isShared };
  });
  const contents = new Map<string, Content>();
  for (const { path, mode, content } of files) {
    if (contents.has(path)) throw new InputError(`${ref} has two files for ${path} of ${target}.`);
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    contents.set(path, { bytes, mode, sha256: sha256Of(bytes) });
  }
  // The name of a skill stands in paths, and whoever wrote it chose it.
  checkPaths(contents.keys(), `${ref} for ${target}`);
  const none = new Map<string, Content>();
  return { files: isShared ? none : contents, sections: isShared ? contents : none, warnings, risks };
}

function asFormat<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw error instanceof FormatError ? new InputError(error.message) : error;
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function sourceOf({ prompt, version, files }: ReadVersion, url: string): FormatSource {
  const { ref, slug, kind, title, summary, tags, license, labels } = prompt;
  const { n, message, entry, variables, config, createdAt } = version;
  return {
    ref,
    slug,
    kind,
    title,
    summary,
    tags,
    license,
    url: `${url.replace(/(?<!\/)\/+$/, "").replace(/\/api\/v1$/, "")}/api/v1/prompts/${ref}`,
    version: { n, message, entry, variables, config: config as FormatSource["version"]["config"], createdAt },
    labels: Object.keys(labels).filter((name) => labels[name] === n),
    paths: files.map(({ path }) => path),
    files: files.map(({ path, mode, encoding, bytes }) => ({
      path,
      mode,
      content: encoding === "utf8" ? decoder.decode(bytes) : bytes,
    })),
    cases: [],
  };
}
