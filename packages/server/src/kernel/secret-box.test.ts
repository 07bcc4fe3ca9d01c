import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openSecretBox } from "./secret-box.ts";

const box = openSecretBox("a secret of tests");
const other = openSecretBox("a secret of tests ");
const isRefusal = /authenticat|Invalid/;

describe("what is put into the box", () => {
  test("comes out as it was, from any box of the same secret", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(openSecretBox("a secret of tests").decrypt(box.encrypt(text))).toBe(text);
      }),
    );
  });

  test("looks different each time", () => {
    expect(box.encrypt("whsec_1")).not.toEqual(box.encrypt("whsec_1"));
  });

  test("comes out of no box of another secret, which is known by its key id", () => {
    expect(() => other.decrypt(box.encrypt("whsec_1"))).toThrow(isRefusal);
    expect(other.keyId).not.toBe(box.keyId);
    expect(openSecretBox("a secret of tests").keyId).toBe(box.keyId);
  });

  test("does not come out when a single bit of it was changed", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.nat(), fc.nat(7), (text, at, bit) => {
        const encrypted = box.encrypt(text);
        const place = at % encrypted.length;
        encrypted[place] = (encrypted[place] ?? 0) ^ (1 << bit);
        expect(() => box.decrypt(encrypted)).toThrow(isRefusal);
      }),
    );
  });

  test("does not come out when it was cut short or grown", () => {
    const encrypted = box.encrypt("whsec_1");
    for (let length = 0; length < encrypted.length; length++) {
      expect(() => box.decrypt(encrypted.subarray(0, length))).toThrow(isRefusal);
    }
    expect(() => box.decrypt(Buffer.concat([encrypted, Buffer.alloc(1)]))).toThrow(isRefusal);
  });
});

const uses = ["cursors", "mailLinks", "formerLinks", "addresses", "rateCounts"] as const;

describe("a digest", () => {
  test.each(uses)("of one text, among %s, is the same for one secret, and another for another", (use) => {
    const digest = (text: string) => box[use].digest(text);
    expect(digest("203.0.113.7")).toEqual(openSecretBox("a secret of tests")[use].digest("203.0.113.7"));
    expect(digest("203.0.113.7")).not.toEqual(digest("203.0.113.8"));
    expect(digest("203.0.113.7")).not.toEqual(other[use].digest("203.0.113.7"));
  });

  test("of one text is another for each use, by a key with an id of its own", () => {
    expect(new Set(uses.map((use) => box[use].digest("one").toString("hex"))).size).toBe(uses.length);
    expect(new Set(uses.map((use) => box[use].id)).size).toBe(uses.length);
  });
});

test("what was encrypted before each use had a key of its own comes out, and its key is known", () => {
  const today = openSecretBox("one secret of at least thirty-two bytes");
  const kept = "oAnsFXiYfGWK3YFb4Qfk2G47oDc5bBvQ26WJKkiORitelZZZQWmcGB896uVDEG2lN3B0H/yA5A==";
  expect(today.keyId).toBe("2bbe62afbb22");
  expect(today.decrypt(Buffer.from(kept, "base64"))).toBe("whsec_of_an_earlier_release");
});
