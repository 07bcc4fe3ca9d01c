import { toBase64 } from "./base64.ts";

/** An ETag for a content: a digest of it. */
export async function etagOf(content: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(content));
  return toBase64(String.fromCharCode(...new Uint8Array(digest)));
}
