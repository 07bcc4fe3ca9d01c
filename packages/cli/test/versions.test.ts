import type { Diff, FileDiff } from "@promptreg/core";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { startRegistry } from "./registry.ts";

const registry = await startRegistry();
afterEach(registry.reset);
afterAll(registry.close);

const changed: Diff = {
  from: { n: 1 },
  to: { n: 2 },
  stats: { files: 5, additions: 1, deletions: 2 },
  files: [
    fileOf("PROMPT.md", {
      additions: 1,
      deletions: 1,
      hunks: [
        {
          oldStart: 1,
          oldLines: 2,
          newStart: 1,
          newLines: 2,
          lines: [
            { type: "del", text: "Dear {{name}}" },
            { type: "add", text: "Hello {{name}}, {{tone}}\u001b[2J" },
            { type: "context", text: "Bye" },
          ],
        },
      ],
    }),
    fileOf("b.png", { oldPath: "a.png", status: "renamed", binary: true }),
    fileOf("large.md", { truncated: true }),
    fileOf("old.md", {
      status: "removed",
      deletions: 1,
      hunks: [
        {
          oldStart: 1,
          oldLines: 1,
          newStart: 0,
          newLines: 0,
          lines: [{ type: "del", text: "x", noNewline: true }],
        },
      ],
    }),
    fileOf("scripts/run", { modeChanged: true }),
  ],
  variables: { added: ["tone"], removed: [], changed: [], breaking: true },
  config: { changed: ["model"] },
};

function fileOf(path: string, fields: Partial<FileDiff>): FileDiff {
  return {
    path,
    oldPath: null,
    status: "modified",
    binary: false,
    modeChanged: false,
    additions: 0,
    deletions: 0,
    truncated: false,
    hunks: [],
    ...fields,
  };
}

describe("diff", () => {
  const show = (range = "1..staging", ...options: string[]) => ["diff", "ada/reply", range, ...options];
  const hold = (diff: Diff = changed) =>
    registry.answer("GET /prompts/ada/reply/diff/1..staging", { json: diff });

  test("shows the files line by line, and what it means for those who fill them in", async () => {
    hold();
    const { exitCode, stdout } = await registry.cli(show());
    expect(stdout).toBe(
      `${[
        "--- a/PROMPT.md",
        "+++ b/PROMPT.md",
        "@@ -1,2 +1,2 @@",
        "-Dear {{name}}",
        "+Hello {{name}}, {{tone}}\u001b[2J",
        " Bye",
        "--- a/a.png",
        "+++ b/b.png",
        "The file was renamed.",
        "The file is binary.",
        "--- a/large.md",
        "+++ b/large.md",
        "The file is too large to compare line by line.",
        "--- a/old.md",
        "+++ /dev/null",
        "@@ -1,1 +0,0 @@",
        "-x",
        "\\ No newline at end of file",
        "--- a/scripts/run",
        "+++ b/scripts/run",
        "The file mode changed.",
        "variables added: tone",
        "settings changed: model",
        "Breaking: values that were valid before may be refused now.",
      ].join("\n")}\n`,
    );
    expect(exitCode).toBe(0);
  });

  test("is harmless on a terminal, and painted", async () => {
    hold();
    const { stdout } = await registry.cli(show(), { isTTY: true });
    expect(stdout).toContain(
      "\u001b[32m+\u001b[7mHello\u001b[27m {{name}}\u001b[7m, {{tone}}\\x1b[2J\u001b[27m\u001b[39m",
    );
  });

  test("in JSON is what the API answers", async () => {
    hold();
    const { stdout } = await registry.cli(show("1..staging", "--json"));
    expect(JSON.parse(stdout)).toEqual(changed);
  });

  test("says so when there is none", async () => {
    const variables = { added: [], removed: [], changed: [], breaking: false };
    hold({ ...changed, to: { n: 1 }, files: [], variables, config: { changed: [] } });
    const { stdout } = await registry.cli(show());
    expect(stdout).toBe("Version 1 and version 1 are equal.\n");
  });

  test("of a version that is not there is not found", async () => {
    hold();
    expect((await registry.cli(show("1..9"))).exitCode).toBe(4);
  });
});
