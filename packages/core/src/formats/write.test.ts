import { describe, expect, test } from "vitest";
import { formats, formatKinds, formatNames, writeFormat } from "./index.ts";
import { sourceOf } from "./testing.ts";

describe("a format", () => {
  test.for(formatNames.flatMap((name) => formatKinds[name].map((kind) => [name, kind] as const)))(
    "%s writes a prompt of kind %s, twice the same",
    ([name, kind]) => {
      const source = sourceOf(kind);
      const { files } = writeFormat(name, source);
      expect(files.length).toBeGreaterThan(0);
      expect(new Set(files.map(({ path }) => path)).size).toBe(files.length);
      for (const { path } of files) expect(path).not.toMatch(/^\/|\.\.|\\/);
      expect(writeFormat(name, sourceOf(kind)).files).toEqual(files);
    },
  );

  test("refuses a kind that it cannot express, and names those that it can", () => {
    expect(() => writeFormat("agent-skill", sourceOf("chat"))).toThrow(
      expect.objectContaining({
        code: "format_not_supported",
        message:
          "agent-skill cannot express a prompt of kind chat. It is for text, skill, agent, rule, command.",
      }),
    );
  });

  test.for(["agent-skill", "cursor-command", "markdown", "promptfoo"] as const)(
    "refuses to write a file or folder that Windows keeps for a device: %s",
    (name) => {
      expect(() => writeFormat(name, sourceOf("text", { slug: "nul" }))).toThrow(
        expect.objectContaining({
          code: "format_not_supported",
          message: expect.stringContaining("Choose another name."),
        }),
      );
    },
  );

  test("stands in the table of kinds, and nothing else does", () => {
    expect(Object.keys(formats)).toEqual(formatNames);
  });
});
