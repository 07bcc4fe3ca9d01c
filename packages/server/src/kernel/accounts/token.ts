import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import { apiError } from "@promptreg/core/errors";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const form = /^prt_[0-9A-Za-z]{42}$/;

/** The last six characters of a token: a CRC-32 in base 62. A mistyped token is found without a database query. */
function checksum(body: string): string {
  let rest = crc32(body);
  let digits = "";
  for (let i = 0; i < 6; i++) {
    digits = base62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Makes a token: `prt_`, 36 random characters of base 62 (214 bits) and a checksum. */
export function makeToken(): string {
  const body = `prt_${Array.from({ length: 36 }, () => base62.charAt(randomInt(62))).join("")}`;
  return body + checksum(body);
}

/** The SHA-256 that is stored for a token. A random token of 214 bits needs no salt. */
export const hashToken = (token: string): Buffer => hash("sha256", token, "buffer");

/**
 * Reads an Authorization header and gives the token's hash, or null if there is no header.
 * @throws {ApiError} `invalid_token` for anything that is not a well-formed token.
 */
export function readCredential(authorization: string | undefined): Buffer | null {
  if (authorization === undefined) return null;
  const [, token] = /^bearer +(\S+)$/i.exec(authorization) ?? [];
  if (token === undefined || !form.test(token) || !token.endsWith(checksum(token.slice(0, 40)))) {
    throw apiError("invalid_token");
  }
  return hashToken(token);
}
