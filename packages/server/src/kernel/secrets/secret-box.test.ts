import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openSecretBox } from "./secret-box.ts";

const box = openSecretBox("a secret of tests");
const other = openSecretBox("a secret of tests ");
const isRefusal = /authenticat|Invalid/;

describe("an encrypted text", () => {
  test("is decrypted by every box with the same secret", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(openSecretBox("a secret of tests").decrypt(box.encrypt(text))).toBe(text);
      }),
    );
  });

  test("is different each time", () => {
    expect(box.encrypt("whsec_1")).not.toEqual(box.encrypt("whsec_1"));
  });

  test("is not decrypted with another secret, which has another key id", () => {
    expect(() => other.decrypt(box.encrypt("whsec_1"))).toThrow(isRefusal);
    expect(other.keyId).not.toBe(box.keyId);
    expect(openSecretBox("a secret of tests").keyId).toBe(box.keyId);
  });

  test("is not decrypted if one bit was changed", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.nat(), fc.nat(7), (text, at, bit) => {
        const encrypted = box.encrypt(text);
        const index = at % encrypted.length;
        encrypted[index] = (encrypted[index] ?? 0) ^ (1 << bit);
        expect(() => box.decrypt(encrypted)).toThrow(isRefusal);
      }),
    );
  });

  test("is not decrypted if it was made shorter or longer", () => {
    const encrypted = box.encrypt("whsec_1");
    for (let length = 0; length < encrypted.length; length++) {
      expect(() => box.decrypt(encrypted.subarray(0, length))).toThrow(isRefusal);
    }
    expect(() => box.decrypt(Buffer.concat([encrypted, Buffer.alloc(1)]))).toThrow(isRefusal);
  });
});

const uses = ["cursors", "mailLinks", "formerLinks", "addresses", "rateCounts"] as const;

describe("a digest", () => {
  test.each(uses)("for %s depends on the text and the secret alone", (use) => {
    const digest = (text: string) => box[use].digest(text);
    expect(digest("203.0.113.7")).toEqual(openSecretBox("a secret of tests")[use].digest("203.0.113.7"));
    expect(digest("203.0.113.7")).not.toEqual(digest("203.0.113.8"));
    expect(digest("203.0.113.7")).not.toEqual(other[use].digest("203.0.113.7"));
  });

  test("is different for each use, which has its own key id", () => {
    expect(new Set(uses.map((use) => box[use].digest("one").toString("hex"))).size).toBe(uses.length);
    expect(new Set(uses.map((use) => box[use].id)).size).toBe(uses.length);
  });
});

test("a text that was encrypted before each use had its own key is still decrypted", () => {
  const today = openSecretBox("one secret of at least thirty-two bytes");
  const kept = "oAnsFXiYfGWK3YFb4Qfk2G47oDc5bBvQ26WJKkiORitelZZZQWmcGB896uVDEG2lN3B0H/yA5A==";
  expect(today.keyId).toBe("2bbe62afbb22");
  expect(today.decrypt(Buffer.from(kept, "base64"))).toBe("whsec_of_an_earlier_release");
});
