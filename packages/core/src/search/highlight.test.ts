import { describe, expect, test } from "vitest";
import { excerpt, highlight, likelyWords, read } from "./highlight.ts";
import { highlightsOf, readTexts } from "./texts.ts";

const stems = new Set(["walrus"]);
const words = new Set(["walrus"]);
const shown = (segments: { text: string; match: boolean }[] | undefined) =>
  segments?.map(({ text, match }) => (match ? `[${text}]` : text)).join("");
const excerptOf = (text: string) => shown(excerpt(read(text, stems), words));

const [a, b] = ["a", "b"].map((letter) => (count: number) => letter.repeat(count)) as [
  (count: number) => string,
  (count: number) => string,
];
describe("an excerpt", () => {
  test.each([
    ["all of 200 characters", `walrus ${a(143)} ${b(49)}`, `[walrus] ${a(143)} ${b(49)}`],
    ["no part of a word at its end", `walrus ${a(134)} ${b(100)}`, `[walrus] ${a(134)}…`],
    [
      "but a part of one that is longer than 60",
      `walrus ${a(133)} ${b(100)}`,
      `[walrus] ${a(133)} ${b(59)}…`,
    ],
    ["all before a match at the 60th", `aa ${b(56)} walrus`, `aa ${b(56)} [walrus]`],
    ["whole words before a later one", `aa ${b(57)} walrus`, `…${b(57)} [walrus]`],
    ["all words in the 60 before it", `aaaaa ${b(58)} walrus`, `…${b(58)} [walrus]`],
    ["no more than these", `${".".repeat(99)}walrus`, `…${".".repeat(60)}[walrus]`],
    ["whole characters", `${"😀".repeat(60)}.walrus`, `…${"😀".repeat(29)}.[walrus]`],
  ])("has %s", (_, text, wanted) => {
    expect(excerptOf(text)).toBe(wanted);
  });

  test("of a file that was cut within a character has no half of it, and has what the file itself cannot show", () => {
    const file = new TextEncoder().encode("A \ufffd walrus é").slice(0, -1);
    const reads = readTexts({ entry: file, title: null, summary: "Walrus" }, stems);
    const found = highlightsOf(reads, words);
    expect([Object.keys(found), shown(found["entry"]), shown(found["summary"])]).toEqual([
      ["entry", "summary"],
      "A \ufffd [walrus]",
      "[Walrus]",
    ]);
  });
});

test("of a word 64 letters are compared, and of a text a hundred words that may match", () => {
  const long = `walrus${"s".repeat(58)}`;
  expect(likelyWords([read(`${long} ${long}s`, stems)])).toEqual([long]);
  const many = Array.from({ length: 101 }, (_, nth) => `walrus${nth}`);
  expect(likelyWords([read(many.join(" "), stems)])).toEqual(many.slice(0, 100));
  expect(shown(highlight(read(`A walrus, ${long}.`, stems), new Set([...words, long])))).toBe(
    `A [walrus], [${long}].`,
  );
});
