import { expect, test } from "vitest";
import { counted, quoted, sizeOf } from "./text.ts";

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1.0 KiB"],
  [1536, "1.5 KiB"],
  [1024 ** 2 - 1, "1024.0 KiB"],
  [1024 ** 2, "1.0 MiB"],
  [2.5 * 1024 ** 2, "2.5 MiB"],
])("%i bytes are %s", (bytes, said) => {
  expect(sizeOf(bytes)).toBe(said);
});

test.each([
  ["prompts/reply", "prompts/reply", "prompts/reply"],
  ["me 😀", "'me 😀'", '"me 😀"'],
  ["it's", "'it'\\''s'", '"it\'s"'],
  ["$(rm) `x`", "'$(rm) `x`'", '"$(rm) `x`"'],
  ["C:\\prompts", "'C:\\prompts'", "C:\\prompts"],
  ["", "''", '""'],
])("%j in a command that is advised is one word to a shell, on Windows too", (word, posix, windows) => {
  expect([quoted(word, false), quoted(word, true)]).toEqual([posix, windows]);
});

test.each([
  [1, "datasets", "1 dataset"],
  [2, "datasets", "2 datasets"],
  [1, "watches", "1 watch"],
  [1, "remixes", "1 remix"],
  [1, "cases", "1 case"],
  [1, "series", "1 series"],
  [1, "same pass", "1 same pass"],
  [1, "passed", "1 passed"],
])("%i of %s is told as %s", (count, things, told) => {
  expect(counted(count, things)).toBe(told);
});
