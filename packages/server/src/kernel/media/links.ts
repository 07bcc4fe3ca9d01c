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

/** Whether a link was made for a path with a secret and still works; as `media_link` of the database makes it. */
export function isValidLink(
  { expires, signature }: Link,
  { path, secret, nowSeconds }: { path: string; secret: Buffer; nowSeconds: number },
): boolean {
  if (!/^\d{1,12}$/.test(expires) || !/^[0-9a-f]{64}$/.test(signature) || Number(expires) <= nowSeconds)
    return false;
  const wanted = sha256(secret, sha256(secret, `${path}?${expires}`));
  return timingSafeEqual(wanted, Buffer.from(signature, "hex"));
}
