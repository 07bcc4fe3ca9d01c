import { expect, test } from "vitest";
import { markChanges } from "./marks.ts";

/** What changed in brackets. */
const show = (before: string, now: string) => {
  const marks = markChanges(before, now);
  const text = (pieces: { text: string; isChanged: boolean }[]) =>
    pieces.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join("");
  return marks && [text(marks.before), text(marks.now)];
};

test.each([
  ["the same", "A b c.", "A b c.", ["A b c.", "A b c."]],
  ["a word", "We send it today.", "We send it tomorrow.", ["We send it [today].", "We send it [tomorrow]."]],
  [
    "a sign",
    "Hello, Ada. How are you?",
    "Hello, Ada! How are you?",
    ["Hello, Ada[.] How are you?", "Hello, Ada[!] How are you?"],
  ],
  [
    "two words next to each other",
    "to be or not to be",
    "to be and so to be",
    ["to be [or not] to be", "to be [and so] to be"],
  ],
  ["a line", "a b c\nd e f\n", "a b c\nnew\nd e f\n", ["a b c\nd e f\n", "a b c\n[new\n]d e f\n"]],
  [
    "one letter of a text without spaces",
    "東京都に住んでいます",
    "京都に住んでいます",
    ["[東]京都に住んでいます", "京都に住んでいます"],
  ],
  [
    "a combining mark with its letter",
    "a cafe\u0301 here now",
    "a cafe here now",
    ["a [cafe\u0301] here now", "a [cafe] here now"],
  ],
])("marks %s", (_, before, now, marks) => {
  expect(show(before, now)).toEqual(marks);
});

test("marks nothing in texts that have little in common", () => {
  expect(show("one two three", "quite another text!")).toBeNull();
  expect(show("", "")).toEqual(["", ""]);
  expect(show("", "new")).toEqual(["", "[new]"]);
});

test("gives back each text, whatever it is", () => {
  const texts = [
    "",
    " ",
    "a  b",
    "\n\n",
    "lone \ud800 x",
    "\u{1f468}\u200d\u{1f469}",
    "x".repeat(12_000),
    "a b ".repeat(3000),
  ];
  for (const before of texts) {
    for (const now of texts) {
      const marks = markChanges(before, now) ?? { before: [{ text: before }], now: [{ text: now }] };
      expect(marks.before.map(({ text }) => text).join("")).toBe(before);
      expect(marks.now.map(({ text }) => text).join("")).toBe(now);
    }
  }
});
