import { expect, test } from "vitest";
import type { FormatPrompt } from "./format.ts";
import { describe as described, replaceVariables } from "./text.ts";

const about = (body: string, max?: number) =>
  described({ data: {}, summary: null, title: "Title", body } as unknown as FormatPrompt, max);

test.each([
  ["# Head\n\n1.\nHello {{name}}! More.", "Hello <name>!"],
  ["One v1.0 of it. Two.", "One v1.0 of it."],
  ["No end", "No end"],
  ["---\n# Head\n", "Title"],
])("what nobody described is described by its first sentence, else its title: %j", (body, description) => {
  expect(about(body)).toBe(description);
});

test("a description is cut between words, and never within a character", () => {
  expect(about("a".repeat(40), 40)).toBe("a".repeat(40));
  expect(about(`${"a".repeat(30)} ${"b".repeat(10)}`, 40)).toBe(`${"a".repeat(30)}…`);
  expect(about(`😀${"a".repeat(36)}😀${"a".repeat(36)}`, 40)).toBe(`😀${"a".repeat(36)}…`);
});

test("a text has 1 Mi characters at most", () => {
  const filled = (length: number) => replaceVariables("{{a}}", () => "a".repeat(length)).length;
  expect(filled(1024 ** 2)).toBe(1024 ** 2);
  expect(() => filled(1024 ** 2 + 1)).toThrow(expect.objectContaining({ code: "format_too_large" }));
});
