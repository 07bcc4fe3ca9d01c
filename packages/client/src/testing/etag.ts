import { toBase64 } from "./base64.ts";

/** The ETag of a content: its digest. */
export async function etagOf(content: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(content));
  return toBase64(String.fromCharCode(...new Uint8Array(digest)));
}
