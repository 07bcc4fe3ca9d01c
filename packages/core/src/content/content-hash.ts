const encoder = new TextEncoder();

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** SHA-256 in lower-case hex. A caller can pass a faster one than WebCrypto's, which uses other threads. */
export type Sha256 = (bytes: Uint8Array) => string | Promise<string>;

/** SHA-256 in lower-case hex, by WebCrypto. */
export const sha256Hex: Sha256 = async (bytes) =>
  hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)));

/**
 * The identity of a version's content: `sha256:` and the digest of `path NUL mode NUL sha256 LF` of every file. Files are
 * sorted by the bytes of their UTF-8 paths. So their order in a request does not matter, and other languages, whose strings
 * sort differently, compute the same hash.
 */
export async function contentHash(
  files: readonly { path: string; mode: string; sha256: string }[],
  sha256: Sha256 = sha256Hex,
): Promise<string> {
  const lines = files
    .map(({ path, mode, sha256 }) => ({
      key: hex(encoder.encode(path)),
      line: `${path}\0${mode}\0${sha256}\n`,
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ line }) => line);
  return `sha256:${await sha256(encoder.encode(lines.join("")))}`;
}
