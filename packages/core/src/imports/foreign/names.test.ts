import { expect, test } from "vitest";
import { fitText, nameOf } from "./names.ts";

test.each([
  ["AGENTS", "AGENTS.md", null],
  ["my-agents", "my-agents.md", "my-agents"],
  ["system-2", "review/system-2.md", "system-2"],
  ["my-index", "review/my-index.md", "my-index"],
  ["agents-2", "agents-2.md", "agents-2"],
  ["index", "review/index.md", "review"],
  ["prompts", "review/prompts.md", null],
  ["claude", "review/claude.md", null],
  ["main", ".hidden/main.md", null],
  ["main", "system/main.md", null],
  ["main", "main.md", null],
])("a file that is named %s, at %s, is called %s", (name, path, called) => {
  expect(nameOf(name, path)).toBe(called);
});

test("a text that is too long is cut between words, and never within a character", () => {
  expect(fitText("a".repeat(40), 40)).toBe("a".repeat(40));
  expect(fitText(` ${"a".repeat(40)}\n`, 40)).toBe("a".repeat(40));
  expect(fitText(`${"a".repeat(30)} ${"b".repeat(10)}`, 40)).toBe(`${"a".repeat(30)}…`);
  expect(fitText(`😀${"a".repeat(36)}😀${"a".repeat(36)}`, 40)).toBe(`😀${"a".repeat(36)}…`);
  expect(fitText(" \u0000 ", 40)).toBeNull();
});
