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

test("the digest of a text is the same for one secret, and another for another", () => {
  expect(box.digest("203.0.113.7")).toEqual(openSecretBox("a secret of tests").digest("203.0.113.7"));
  expect(box.digest("203.0.113.7")).not.toEqual(box.digest("203.0.113.8"));
  expect(box.digest("203.0.113.7")).not.toEqual(other.digest("203.0.113.7"));
});
