import { type KeyObject, verify } from "node:crypto";
import type { SignedHeaders } from "@promptreg/core";

/**
 * When a body was signed, in seconds since 1970; null if it was not signed by this key. Nothing of the body is parsed: until then it can be
 * anybody's.
 */
export function signedAt(
  key: KeyObject,
  { "x-signature-ed25519": signature = "", "x-signature-timestamp": timestamp = "" }: SignedHeaders,
  body: Uint8Array,
): number | null {
  if (!/^[0-9a-f]{128}$/i.test(signature) || !/^\d{1,12}$/.test(timestamp)) return null;
  const signed = Buffer.concat([Buffer.from(timestamp), body]);
  return verify(null, signed, key, Buffer.from(signature, "hex")) ? Number(timestamp) : null;
}
