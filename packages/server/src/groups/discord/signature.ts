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
  const signed = Buffer.concat([Buffer.from(timestamp), body]);
  // What is no hexadecimal ends the bytes, which are too few then.
  const isSigned = signature.length === 128 && verify(null, signed, key, Buffer.from(signature, "hex"));
  return isSigned ? Number(timestamp) : null;
}
