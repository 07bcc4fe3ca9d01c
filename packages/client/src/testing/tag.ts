import { toBase64 } from "./base64.ts";

/** A tag by which contents are told apart. */
export async function tagOf(content: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(content));
  return toBase64(String.fromCharCode(...new Uint8Array(digest)));
}
