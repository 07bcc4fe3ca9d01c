import { withoutCounters } from "@promptreg/core/wire";
import { toBase64 } from "./base64.ts";

/** The ETag of a content: its digest. */
export async function etagOf(content: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(content));
  return toBase64(String.fromCharCode(...new Uint8Array(digest)));
}

/** The ETag of a printed response: weak if there are counters, which change no ETag. */
export async function etagOfResponse(json: string): Promise<string> {
  const shown = withoutCounters(json);
  const etag = await etagOf(shown);
  return shown.length === json.length ? etag : `W/${etag}`;
}
