import fc from "fast-check";
import { expect, test } from "vitest";
import { queryWords, searchWords } from "./words.ts";
import { codePoint } from "../testing/code-point.ts";

test("the words of a text are its letters and digits, whatever is between them", () => {
  expect(searchWords("Don't use `foo_bar`, well-known: https://example.com/a?b=1 &amp; <b>x</b>…")).toBe(
    "don t use foo bar well known https example com a b 1 amp b x b",
  );
  expect(searchWords("你好，世界。नमस्ते cafe\u0301\u00a0№ 5€")).toBe("你好 世界 नमस्ते cafe no 5 你 好 世 界");
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
  .array(fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: codePoint })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join("").repeat(2_000));

test("PostgreSQL's parser gets only short words and single spaces, and not more words than positions", {
  tags: "long",
}, () => {
  fc.assert(
    fc.property(repeated, (text) => {
      const words = searchWords(text).split(" ");
      expect(words.length).toBeLessThanOrEqual(14_000);
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

test.for([
  ["Café CRÈME", "cafe creme"],
  ["Straße Łódź Ærø ﬁne ½", "strasse lodz aero fine 1 2"],
  ["Ёлка ΆΛΦΑ", "елка αλφα"],
] as const)("%s is indexed without case and accents", ([text, words]) => {
  expect([searchWords(text), queryWords(text)]).toEqual([words, words]);
});

test.for([
  ["プロンプト設計", "プロ ロン ンプ プト ト設 設計", "プ ロ ン ト 設 計"],
  ["ｶﾞｷﾞ", "ガギ", "ガ ギ"],
  ["สวัสดี", "สวั วัส สดี", "ส วั ดี"],
  ["프롬프트를", "프롬 롬프 프트 트를", "프 롬 트 를"],
] as const)(
  "%s, which has no spaces, is indexed by its pairs and its characters",
  ([text, pairs, singles]) => {
    expect(searchWords(text)).toBe(`${pairs} ${singles}`);
    expect(queryWords(text).trim()).toBe(`"${pairs}"`);
  },
);

test("a text without spaces is bounded as others are", () => {
  const text = Array.from({ length: 60_000 }, (_, nth) =>
    String.fromCharCode(0x4e00 + ((nth * 7_919) % 20_000)),
  );
  expect(searchWords(text.join("")).split(" ")).toHaveLength(14_000);
});

test("a query of a script without spaces keeps quotes and hyphens that mean not", () => {
  const words = (q: string) =>
    queryWords(q)
      .replaceAll(/ +/g, " ")
      .replaceAll(/" | "$/g, '"')
      .trim();
  expect(words("-設計する AI設計")).toBe('-"設計 計す する"ai "設計"');
  expect(queryWords("猫").trim()).toBe('"猫"');
});
