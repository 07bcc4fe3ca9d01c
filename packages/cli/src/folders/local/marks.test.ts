import { expect, test } from "vitest";
import type { CheckedFile } from "@promptreg/core/content";
import { markedFiles, marksOf } from "./marks.ts";

const { open, middle, close } = marksOf("ada/x-1@12");
const both = (begin = open, end = close) => `A\n${begin}\nmine\n${middle}\ntheirs\n${end}\nB\n`;
const isMarked = (text: string, encoding: "utf8" | "base64" = "utf8") =>
  markedFiles([{ path: "a.md", encoding, bytes: Buffer.from(text) } as unknown as CheckedFile]).length === 1;

test("a file with both sides of a pull, or of an import, is found", () => {
  expect(isMarked(both())).toBe(true);
  expect(isMarked(both().replaceAll("\n", "\r\n"))).toBe(true);
  expect(isMarked(both(open, marksOf("source").close))).toBe(true);
});

test.each([
  ["of git", both("<<<<<<< HEAD", ">>>>>>> main")],
  ["that begins and does not end", `${open}\nmine\n`],
  ["that ends before it begins", `${close}\n${open}\n`],
  ["within a line", both(`Write ${open}`)],
  ["with more behind it", both(`${open} and there`)],
  ["whose end is within a line", both(open, `Write ${close}`)],
  ["whose end has more behind it", both(open, `${close}!`)],
  ["of no version", both(open, ">>>>>>> ada/x@one")],
  ["of no owner", both(open, ">>>>>>> /x@1")],
  ["of no prompt", both(open, ">>>>>>> ada/@1")],
  ["of no number", both(open, ">>>>>>> ada/x@")],
])("a mark %s is text", (_, text) => {
  expect(isMarked(text)).toBe(false);
});

test("what is no text has no marks", () => {
  expect(isMarked(both(), "base64")).toBe(false);
});
