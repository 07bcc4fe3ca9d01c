import fc from "fast-check";

const surrogates = { first: 0xd800, count: 2_048 };

/**
 * Any character, for `fc.string({ unit: codePoint })`: what fast-check calls `binary`, which takes a second to prepare in each
 * process.
 */
export const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((n) => String.fromCodePoint(n < surrogates.first ? n : n + surrogates.count));
