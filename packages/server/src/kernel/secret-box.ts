import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** A key of PROMPTREG_SECRET for one use. */
export interface DigestKey {
  /** Names the key, so that what was made with another one is recognised. */
  id: string;
  /** A keyed digest: equal texts have equal ones, and nobody without the key can try texts out. */
  digest(text: string): Buffer;
}

/** The keys that are drawn from PROMPTREG_SECRET, and the box that keeps secrets that must be read again. */
export interface SecretBox {
  /** Names the key of the box. */
  keyId: string;
  encrypt(secret: string): Buffer;
  /** @throws when the data was encrypted under another key or was tampered with. */
  decrypt(encrypted: Uint8Array): string;
  /** Seals cursors. */
  cursors: DigestKey;
  /** Seals links in mails. */
  mailLinks: DigestKey;
  /** What seals links in mails that were sent before they had a key of their own: the key of the box. */
  formerLinks: DigestKey;
  /** Hides addresses of clients. */
  addresses: DigestKey;
  /** Hides what requests are counted by. */
  rateCounts: DigestKey;
}

/** As many bytes as the keys have. */
export const secretBytesAtLeast = 32;

const nonceLength = 12;
const tagLength = 16;

/** Opens the box of one PROMPTREG_SECRET: AES-256-GCM. Layout of what it writes: nonce (12 bytes), ciphertext, tag (16 bytes). */
export function openSecretBox(secret: string): SecretBox {
  const draw = (use: string) => Buffer.from(hkdfSync("sha256", secret, "", `promptreg ${use}`, 32));
  const key = draw("webhook secrets");
  return {
    keyId: idOf(key),
    cursors: digestKey(draw("cursors")),
    mailLinks: digestKey(draw("mail links")),
    formerLinks: digestKey(key),
    addresses: digestKey(draw("addresses")),
    rateCounts: digestKey(draw("rate counts")),
    encrypt(text) {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
    },
    decrypt(encrypted) {
      const decipher = createDecipheriv("aes-256-gcm", key, encrypted.subarray(0, nonceLength), {
        authTagLength: tagLength,
      });
      decipher.setAuthTag(encrypted.subarray(-tagLength));
      const opened = decipher.update(encrypted.subarray(nonceLength, -tagLength));
      return Buffer.concat([opened, decipher.final()]).toString("utf8");
    },
  };
}

const digestKey = (key: Buffer): DigestKey => ({
  id: idOf(key),
  digest: (text) => createHmac("sha256", key).update(text).digest(),
});

const idOf = (key: Buffer): string =>
  createHash("sha256").update("promptreg key id").update(key).digest("hex").slice(0, 12);
