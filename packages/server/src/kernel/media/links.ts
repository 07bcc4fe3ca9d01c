import { createHash, timingSafeEqual } from "node:crypto";

/** What an address says about how long it works. */
export interface Link {
  expires: string;
  signature: string;
}

const sha256 = (...parts: (Buffer | string)[]): Buffer => {
  const digest = createHash("sha256");
  for (const part of parts) digest.update(part);
  return digest.digest();
};

const signed = (path: string, expires: string, secret: Buffer): Buffer =>
  sha256(secret, sha256(secret, `${path}?${expires}`));

/** The query of a link that works for some time. Those of the database work longer, and stay the same for an hour. */
export const linkFor = (
  path: string,
  { secret, nowSeconds, seconds }: { secret: Buffer; nowSeconds: number; seconds: number },
): string => {
  const expires = String(Math.floor(nowSeconds) + seconds);
  return `?expires=${expires}&signature=${signed(path, expires, secret).toString("hex")}`;
};

/** Whether a link was made for a path with a secret and still works; as `media_link` of the database makes it. */
export function isValidLink(
  { expires, signature }: Link,
  { path, secret, nowSeconds }: { path: string; secret: Buffer; nowSeconds: number },
): boolean {
  if (!/^\d{1,12}$/.test(expires) || !/^[0-9a-f]{64}$/.test(signature) || Number(expires) <= nowSeconds)
    return false;
  return timingSafeEqual(signed(path, expires, secret), Buffer.from(signature, "hex"));
}
