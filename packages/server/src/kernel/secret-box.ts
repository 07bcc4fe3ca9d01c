import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** Keeps secrets that must be read again: AES-256-GCM under a key drawn from PROMPTREG_SECRET. */
export interface SecretBox {
  /** Names the key, so that data which was encrypted under another one is recognised. */
  keyId: string;
  /** A keyed digest: equal texts have equal ones, and nobody without the key can try texts out. */
  digest(text: string): Buffer;
  encrypt(secret: string): Buffer;
  /** @throws when the data was encrypted under another key or was tampered with. */
  decrypt(encrypted: Uint8Array): string;
}

const nonceLength = 12;
const tagLength = 16;

/** Opens the box of one PROMPTREG_SECRET. Layout of what it writes: nonce (12 bytes), ciphertext, tag (16 bytes). */
export function openSecretBox(secret: string): SecretBox {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "promptreg webhook secrets", 32));
  return {
    keyId: createHash("sha256").update("promptreg key id").update(key).digest("hex").slice(0, 12),
    digest: (text) => createHmac("sha256", key).update(text).digest(),
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
