import { isThorough } from "../../../../core/src/testing/growth.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashToken, makeToken, readCredential } from "./token.ts";
import { codePoint } from "../../../../core/src/testing/code-point.ts";

const tokens = fc.constant(null).map(() => makeToken());
const isRefused = (authorization: string) => {
  try {
    readCredential(authorization);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: "invalid_token", status: 401 });
    return true;
  }
};

describe("a token", () => {
  test("is prt_ and 42 characters of base 62, never the same twice", () => {
    const made = Array.from({ length: 1000 }, makeToken);
    for (const token of made) expect(token).toMatch(/^prt_[0-9A-Za-z]{42}$/);
    expect(new Set(made).size).toBe(1000);
  });

  test("is found by its hash, which shows nothing of it", () => {
    const token = makeToken();
    expect(readCredential(`Bearer ${token}`)).toEqual(hashToken(token));
    expect(hashToken(token).toString("latin1")).not.toContain(token.slice(4));
  });

  test("may follow the scheme in any case, and several spaces", () => {
    const token = makeToken();
    for (const scheme of ["bearer ", "BEARER ", "Bearer   "])
      expect(readCredential(scheme + token)).toEqual(hashToken(token));
  });

  test("of an earlier release stays valid", () => {
    expect(isRefused(`Bearer prt_${"0".repeat(36)}19aWaa`)).toBe(false);
  });
});

describe("a mistyped token is refused without a query:", () => {
  test("one character instead of another", { tags: "long" }, () => {
    fc.assert(
      fc.property(
        tokens,
        fc.nat(45),
        fc.string({ minLength: 1, maxLength: 1, unit: codePoint }),
        (token, at, other) => {
          fc.pre(token[at] !== other);
          expect(isRefused(`Bearer ${token.slice(0, at)}${other}${token.slice(at + 1)}`)).toBe(true);
        },
      ),
      { numRuns: isThorough ? 2000 : 300 },
    );
  });

  test("one character of base 62 instead of another, in every position", () => {
    const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const token = makeToken();
    for (let at = 4; at < token.length; at++) {
      for (const other of digits.replace(token.charAt(at), "")) {
        expect(isRefused(`Bearer ${token.slice(0, at)}${other}${token.slice(at + 1)}`)).toBe(true);
      }
    }
  });

  test("two neighbours swapped", () => {
    fc.assert(
      fc.property(tokens, fc.integer({ min: 4, max: 44 }), (token, at) => {
        fc.pre(token[at] !== token[at + 1]);
        const swapped = token.slice(0, at) + token[at + 1] + token[at] + token.slice(at + 2);
        expect(isRefused(`Bearer ${swapped}`)).toBe(true);
      }),
    );
  });

  test("one character too many or too few", () => {
    fc.assert(
      fc.property(tokens, fc.nat(45), (token, at) => {
        expect(isRefused(`Bearer ${token.slice(0, at)}${token.slice(at + 1)}`)).toBe(true);
        expect(isRefused(`Bearer ${token.slice(0, at)}0${token.slice(at)}`)).toBe(true);
      }),
    );
  });
});

test.each([
  "",
  "Bearer",
  "Bearer ",
  "Basic YTpi",
  `Token ${makeToken()}`,
  makeToken(),
  `Bearer ${makeToken()} x`,
  `Basic Bearer ${makeToken()}`,
  "Bearer prt_",
])("%j is not the header of a token", (authorization) => {
  expect(isRefused(authorization)).toBe(true);
});

test("without a header there is no token", () => {
  expect(readCredential(undefined)).toBeNull();
});
