import { expect, test } from "vitest";
import { nameOf } from "./names.ts";

test.each([
  ["AGENTS", "AGENTS.md", null],
  ["my-agents", "my-agents.md", "my-agents"],
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
