import fc from "fast-check";
import { expect, test } from "vitest";
import { queryWords, searchWords } from "./search-words.ts";

test("the words of a text are its letters and digits, whatever is between them", () => {
  expect(searchWords("Don't use `foo_bar`, well-known: https://example.com/a?b=1 &amp; <b>x</b>…")).toBe(
    "Don t use foo bar well known https example com a b 1 amp b x b",
  );
  expect(searchWords("你好，世界。नमस्ते cafe\u0301\u00a0№ 5€")).toBe("你好 世界 नमस्ते cafe\u0301 5");
  expect(searchWords("")).toBe("");
});

const hostile = [
  "a-1-",
  "1.2.",
  "a@",
  "a.b/",
  "&a",
  "<a ",
  "1e-",
  "-+",
  "a_",
  '"a',
  "http://",
  "\\",
  "\u00ad",
  "é-",
];
const repeated = fc
  .array(fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: "binary" })), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("").repeat(2_000));

test("PostgreSQL's parser gets only short words and single spaces, and not more words than positions", () => {
  fc.assert(
    fc.property(repeated, (text) => {
      const words = searchWords(text).split(" ");
      expect(words.length).toBeLessThanOrEqual(10_000);
      for (const word of words) expect(word).toMatch(/^[\p{L}\p{N}\p{M}]{0,64}$/u);
    }),
    { numRuns: 50 },
  );
});

test("a text is indexed up to its 65,536th character and its ten thousandth word", () => {
  expect(searchWords(`${"/".repeat(65_531)}first second`)).toBe("first");
  expect(searchWords("a ".repeat(10_001)).split(" ")).toHaveLength(10_000);
});

test("a word of more than 64 letters is left out", () => {
  expect(searchWords(`${"a".repeat(64)} ${"b".repeat(65)} c`)).toBe(`${"a".repeat(64)} c`);
});

test("a query keeps its quotes, and hyphens that mean not", () => {
  expect(queryWords('lion -tiger "white bear" -"polar fox"')).toBe('lion -tiger "white bear" -"polar fox"');
  expect(queryWords("well-known - foo_bar --x a- -")).toBe("well known foo bar x a ");
});
