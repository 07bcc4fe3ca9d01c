import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** A key of PROMPTREG_SECRET for one use. */
export interface DigestKey {
  /** Identifies the key, so that data made with another one is recognised. */
  id: string;
  /** An HMAC: equal texts have equal digests, and without the key nobody can find the text by guessing. */
  digest(text: string): Buffer;
}

/** The keys derived from PROMPTREG_SECRET, and the encryption of secrets that must be read again. */
export interface SecretBox {
  /** Identifies the encryption key. */
  keyId: string;
  encrypt(secret: string): Buffer;
  /** @throws if the data was encrypted with neither key, or was changed. */
  decrypt(encrypted: Uint8Array): string;
  /** Signs cursors. */
  cursors: DigestKey;
  /** Signs links in mails. */
  mailLinks: DigestKey;
  /** Signed links in mails before they had their own key. It is the encryption key. */
  formerLinks: DigestKey;
  /** Hashes addresses of clients. */
  addresses: DigestKey;
  /** Hashes what installations call themselves. */
  viewers: DigestKey;
  /** Hashes the keys of rate counts. */
  rateCounts: DigestKey;
  /** Hashes the codes that link accounts with those at Discord. */
  discordCodes: DigestKey;
  /** Of PROMPTREG_SECOND_SECRET: what it encrypted and signed is read as well. */
  second: SecretBox | null;
}

/** The minimum length of PROMPTREG_SECRET. */
export const secretBytesAtLeast = 32;

const nonceLength = 12;
const tagLength = 16;

/** Encrypts with AES-256-GCM. The output is nonce (12 bytes), ciphertext, authentication tag (16 bytes). */
export function openSecretBox(secret: string, secondSecret: string | null = null): SecretBox {
  const draw = (use: string) => Buffer.from(hkdfSync("sha256", secret, "", `promptreg ${use}`, 32));
  const key = draw("webhook secrets");
  const second = secondSecret === null ? null : openSecretBox(secondSecret);
  return {
    second,
    keyId: idOf(key),
    cursors: digestKey(draw("cursors")),
    mailLinks: digestKey(draw("mail links")),
    formerLinks: digestKey(key),
    addresses: digestKey(draw("addresses")),
    viewers: digestKey(draw("viewers")),
    rateCounts: digestKey(draw("rate counts")),
    discordCodes: digestKey(draw("discord codes")),
    encrypt(text) {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
    },
    decrypt(encrypted) {
      try {
        return decryptWith(key, encrypted);
      } catch (error) {
        if (second === null) throw error;
        return second.decrypt(encrypted);
      }
    },
  };
}

function decryptWith(key: Buffer, encrypted: Uint8Array): string {
  const decipher = createDecipheriv("aes-256-gcm", key, encrypted.subarray(0, nonceLength), {
    authTagLength: tagLength,
  });
  decipher.setAuthTag(encrypted.subarray(-tagLength));
  const opened = decipher.update(encrypted.subarray(nonceLength, -tagLength));
  return Buffer.concat([opened, decipher.final()]).toString("utf8");
}

const digestKey = (key: Buffer): DigestKey => ({
  id: idOf(key),
  digest: (text) => createHmac("sha256", key).update(text).digest(),
});

const idOf = (key: Buffer): string =>
  createHash("sha256").update("promptreg key id").update(key).digest("hex").slice(0, 12);
