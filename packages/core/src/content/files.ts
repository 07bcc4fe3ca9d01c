import { type Sha256, sha256Hex } from "./content-hash.ts";
import { mediaType } from "./media-type.ts";
import { pathProblems } from "./paths.ts";
import type { Problem } from "./problem.ts";

/** A file as a caller sends it. */
export interface FileInput {
  /** `/`-separated, relative to the prompt's root. */
  path: string;
  /** Text, or bytes in base64; see `encoding`. */
  content: string;
  /** The encoding of `content`. Default: `utf8`. */
  encoding?: "utf8" | "base64";
  /**
   * The mode as in Git. `100755` (executable) only for a file with a `#!` line or under `scripts/`. Default: `100644`.
   */
  mode?: "100644" | "100755";
}

/** A file that passed the rules. */
export interface CheckedFile {
  path: string;
  mode: "100644" | "100755";
  /** In bytes. */
  size: number;
  /** Of the bytes, in lower-case hex. */
  sha256: string;
  mediaType: string;
  /** `utf8` for text, also if it was sent as base64: responses for equal bytes are always the same. */
  encoding: "utf8" | "base64";
  bytes: Uint8Array;
}

const mebibyte = 1024 * 1024;
const maxTextBytes = mebibyte;
const maxBinaryBytes = 5 * mebibyte;
/** The largest version, over all files. */
export const maxVersionBytes = 10 * mebibyte;
export const maxFiles = 200;

const encoder = new TextEncoder();
const strictDecoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Checks paths, sizes, content and modes: the rules for drafts and versions. `files` keeps the order sent, without those
 * that have a problem. A problem's path points into `{ files }`.
 */
export async function checkFiles(
  inputs: readonly FileInput[],
  sha256: Sha256 = sha256Hex,
): Promise<{ files: CheckedFile[]; problems: Problem[] }> {
  if (inputs.length > maxFiles) {
    return { files: [], problems: [tooLarge("/files", `A version holds at most ${maxFiles} files.`)] };
  }
  const files: CheckedFile[] = [];
  const problems: Problem[] = [];
  const wrongPaths = pathProblems(inputs.map(({ path }) => path));
  for (const [index, { path, content, encoding = "utf8", mode = "100644" }] of inputs.entries()) {
    const at = `/files/${index}`;
    const wrongPath = wrongPaths.get(index);
    if (wrongPath !== undefined) {
      const message = `The path ${JSON.stringify(path.slice(0, 100))} ${wrongPath}.`;
      problems.push({ code: "invalid_file", path: `${at}/path`, message });
      continue;
    }
    const read = encoding === "utf8" ? readText(content) : readBase64(content);
    if ("message" in read) {
      problems.push({ code: read.code, path: `${at}/content`, message: `${path} ${read.message}` });
    } else if (mode === "100755" && !mayBeExecutable(path, read.bytes)) {
      const message = `${path} can be executable only with a #! line or under scripts/. Send mode 100644.`;
      problems.push({ code: "invalid_file", path: `${at}/mode`, message });
    } else {
      files.push({
        path,
        mode,
        size: read.bytes.length,
        sha256: await sha256(read.bytes),
        mediaType: mediaType(path, read.encoding),
        ...read,
      });
    }
  }
  if (files.reduce((sum, { size }) => sum + size, 0) > maxVersionBytes) {
    problems.push(tooLarge("/files", "A version holds at most 10 MiB over all files."));
  }
  return { files, problems };
}

const tooLarge = (path: string, message: string): Problem => ({ code: "payload_too_large", path, message });

type Content = Pick<CheckedFile, "bytes" | "encoding"> | Pick<Problem, "code" | "message">;

function readText(content: string): Content {
  // A text has at least as many bytes as UTF-16 units, so a text that is far too long is not encoded.
  if (content.length > maxTextBytes) return textTooLarge;
  if (!content.isWellFormed()) return invalid("is not well-formed Unicode: it holds half a surrogate pair.");
  if (content.includes("\0")) return invalid("holds a NUL character. Send binary content as base64.");
  const bytes = encoder.encode(content);
  return bytes.length > maxTextBytes ? textTooLarge : { bytes, encoding: "utf8" };
}

function readBase64(content: string): Content {
  if ((content.length / 4) * 3 > maxBinaryBytes + 2) return binaryTooLarge;
  const bytes = decodeBase64(content);
  if (bytes === null) {
    return invalid("is not base64 (RFC 4648: the standard alphabet, padded, no line breaks).");
  }
  if (bytes.length > maxBinaryBytes) return binaryTooLarge;
  if (!isText(bytes)) return { bytes, encoding: "base64" };
  return bytes.length > maxTextBytes ? textTooLarge : { bytes, encoding: "utf8" };
}

const invalid = (message: string): Content => ({ code: "invalid_file", message });
const textTooLarge: Content = {
  code: "payload_too_large",
  message: "is over 1 MiB, the most for a text file.",
};
const binaryTooLarge: Content = {
  code: "payload_too_large",
  message: "is over 5 MiB, the most for a binary file.",
};

function decodeBase64(content: string): Uint8Array<ArrayBuffer> | null {
  const digits = content.replace(/={1,2}$/, "");
  if (content.length % 4 !== 0 || /[^A-Za-z0-9+/]/.test(digits)) return null;
  const last = content.slice(-4);
  // The unused bits before the padding must be zero. Otherwise several texts would encode the same bytes.
  if (btoa(atob(last)) !== last) return null;
  const binary = atob(content);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    strictDecoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const mayBeExecutable = (path: string, bytes: Uint8Array) =>
  path.startsWith("scripts/") || (bytes[0] === 0x23 && bytes[1] === 0x21);
