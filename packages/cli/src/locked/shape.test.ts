import { describe, expect, test } from "vitest";
import { isLockedPrompt } from "./shape.ts";

const file = { path: "PROMPT.md", encoding: "utf8", content: "Hello {{who}}" };
const variable = { name: "who", type: "text", required: true, default: null };
const locked = {
  version: 3,
  contentHash: "sha256:00",
  entry: "PROMPT.md",
  config: {},
  files: [file],
  variables: [variable],
};

describe("an entry of a lockfile", () => {
  test.each([
    {},
    { files: [] },
    { variables: [] },
    { variables: [{ ...variable, type: "enum", options: ["a", "b"] }] },
    { variables: [{ ...variable, options: [] }] },
    { files: [file, { ...file, path: "a.md" }] },
    { more: 1 },
  ])("can be used with %j", (change) => {
    expect(isLockedPrompt({ ...locked, ...change })).toBe(true);
  });

  test.each([
    { version: "3" },
    { version: 1.5 },
    { version: undefined },
    { contentHash: 1 },
    { entry: null },
    { config: [] },
    { config: null },
    { files: {} },
    { files: null },
    { files: [file, null] },
    { files: [{ ...file, path: 1 }] },
    { files: [{ ...file, content: undefined }] },
    { files: [file, { ...file, encoding: null }] },
    { variables: {} },
    { variables: [variable, []] },
    { variables: [{ ...variable, name: 1 }] },
    { variables: [{ ...variable, type: "texts" }] },
    { variables: [variable, { ...variable, required: "yes" }] },
    { variables: [{ ...variable, options: "a" }] },
    { variables: [{ ...variable, options: ["a", 1] }] },
    { variables: [{ ...variable, options: null }] },
  ])("is damaged with %j", (change) => {
    expect(isLockedPrompt({ ...locked, ...change })).toBe(false);
  });

  test.each([null, [], "text", 3])("is damaged as %j", (value) => {
    expect(isLockedPrompt(value)).toBe(false);
  });
});
