import { expect, test } from "vitest";
import { quoted } from "./text.ts";

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
