import { describe, expect, test } from "vitest";
import { complaintAbout } from "../testing/growth.ts";
import { writeOne } from "./testing-readers.ts";

describe("a text that a tool would act on", () => {
  const cases = [
    ["claude-command", "Now !`rm -rf .`"],
    ["claude-command", "```!\nrm -rf .\n```"],
    ["claude-command", "Read @~/.ssh/config"],
    ["claude-command", "Read @.env"],
    ["claude-command", "Read @docker-compose.override.yml."],
    ["claude-command", 'Read @"~/.ssh/id_rsa"'],
    ["claude-command", "Read @ключ/секрет.txt"],
    ["opencode-command", "Now !`rm -rf .`"],
    ["opencode-command", "Read @src/key.pem, now"],
    ["opencode-command", "(@README.md)"],
    ["gemini-command", "Now !{rm -rf .}"],
    ["gemini-command", "Read @{.env}"],
    ["gemini-command", "Hidden !\\{{rm}}"],
    ["copilot-prompt", "Read #file:.env"],
    ["continue-prompt", "Read @src/key.pem"],
    ["continue-prompt", "See me@https://evil.example/?q=1"],
    ["continue-prompt", "Read @clipboard now"],
    ["continue-prompt", "\\{{{ input }}}"],
  ] as const;

  test.for(cases)("%s refuses it: %s", ([name, text]) => {
    expect(() => writeOne(name, text)).toThrow(
      expect.objectContaining({ name: "FormatError", code: "format_unsafe" }),
    );
  });

  test.for(cases)("%s takes it from a command, with a warning: %s", ([name, text]) => {
    expect(writeOne(name, text, "command").warnings[0]).toMatch(
      /(runs the shell commands|reads the files|fetches|fills in the braces)/,
    );
  });

  test("is a rule with a warning", () => {
    for (const name of ["cursor-rule", "cline-rule", "agents-md"] as const)
      expect(writeOne(name, "See @src/a.ts", "rule").warnings).toEqual([
        expect.stringContaining("reads the files that the text names after @"),
      ]);
  });

  test("is not what only looks like it", () => {
    const text = "Hi @alice! `code` me@example.com, @Override @app.route('/') @pytest.fixture; wow! `x`";
    const maybe = [expect.stringContaining("may take words after @ for a file (line 1): @")];
    expect(writeOne("opencode-command", "a @ b @, @`").warnings).toEqual([]);
    // A decorator, or a file such as terraform.tfstate: a warning, since nobody can tell.
    expect(writeOne("claude-command", text).warnings).toEqual(maybe);
    expect(writeOne("opencode-command", text).warnings).toEqual(maybe);
    expect(writeOne("claude-command", text.replace("@pytest.fixture;", "")).warnings).toEqual([]);
  });

  test.for([
    ["[x](../../.env)", "[x](../../.env)"],
    ["a [b] ![c](.env)", ".env"],
    ["[x](/etc/passwd)", "/etc/passwd"],
    ["[x](file:///etc/passwd)", "passwd"],
    ["[x](https:../../../key)", "https:../"],
    ["[x](](../../.env)", ".env"],
    ["[x](docs/a.md#part)", "docs/a.md"],
  ] as const)("is a link that VS Code follows, with a warning: %s", ([text, found]) => {
    for (const [name, kind] of [
      ["copilot-prompt", "text"],
      ["copilot-instructions", "rule"],
    ] as const)
      expect(writeOne(name, text, kind).warnings).toEqual([
        expect.stringMatching(/^VS Code reads the files that the text links to \(line 1\): \]\(/),
      ]);
    expect(writeOne("copilot-prompt", text).warnings.join()).toContain(found.slice(found.indexOf("]") + 1));
  });

  test("is no link to a page, to a heading, or in a pattern", () => {
    const text = "[a](https://example.com/x.md) [b](#top) [c](mailto:a@b.c) [title](url) f[0](x) [e]()";
    expect(writeOne("copilot-prompt", text).warnings).toEqual([]);
    expect(writeOne("copilot-instructions", text).warnings).toEqual([]);
  });

  test("is named with what was found", () => {
    expect(() => writeOne("claude-command", "---\nconfig: {}\n---\n\nOne\nSee @docs/ä.md now")).toThrow(
      "Claude Code reads the files that the text names after @ (line 6): @docs/?.md. This format refuses that in a prompt of kind text.",
    );
  });

  test("is named without a line if it comes from a default or an escape", () => {
    const text = "---\nvariables: [{ name: a, default: '@.env' }]\n---\nUse {{a}}.\n";
    expect(() => writeOne("cursor-rule", text, "text")).toThrow("names after @: @.env.");
    expect(() => writeOne("gemini-command", "Do !\\{{rm}}")).toThrow("in the text: !{{rm.");
  });

  test.for([
    "import { a } from '@scope/name';",
    'const a = require("@/lib/utils/math");',
    "Add `@scope/name` and run `npm install @scope/name`.",
    "```sh\nnpm install @scope/name@2 @scope/other.\n```",
  ])("is no package in code or quotes: %s", (text) => {
    for (const name of ["claude-command", "opencode-command", "cursor-command", "cursor-rule"] as const)
      expect(writeOne(name, text, "text").text).toContain("@");
    expect(writeOne("cursor-command", text, "text").warnings).toEqual([]);
  });

  test.for([
    "Use @scope/name here",
    "from '@scope/../key'",
    "'@.ssh/id_rsa'",
    "from '@a/b.pem'",
    "```\n@a/b.pem\n```",
    "`cat @../key`",
    "`@a/`",
  ])("is what only begins as a package: %s", (text) => {
    expect(() => writeOne("claude-command", text)).toThrow(
      expect.objectContaining({ code: "format_unsafe" }),
    );
  });

  test("is the same for each format of Cursor and for AGENTS.md", () => {
    for (const name of ["cursor-command", "cursor-rule", "agents-md"] as const)
      expect(() => writeOne(name, "See @src/a.ts", "text")).toThrow(
        expect.objectContaining({ code: "format_unsafe" }),
      );
    expect(writeOne("cursor-command", "See @src/a.ts", "command").warnings).toHaveLength(1);
  });

  test("is looked at in linear time", async () => {
    const pieces = [
      "@",
      "@a.",
      "@a-",
      "!",
      "a@a",
      "`",
      "@a.a.a(",
      "](",
      "'@a/",
      "`@a/a",
      "```a",
      "[a](b",
      "/a",
    ];
    const texts = ["", "`@a"].flatMap((start) => pieces.map((again) => ({ start, again, end: "" })));
    for (const name of ["claude-command", "continue-prompt", "copilot-prompt"] as const)
      expect(await complaintAbout((text) => writeOne(name, text, "command"), texts)).toBeUndefined();
  });

  test("holds a marker of the tool: a warning says so", () => {
    expect(writeOne("claude-command", "It costs $5").warnings).toEqual([
      "The text contains $5. Claude Code replaces it by the arguments.",
    ]);
    expect(writeOne("codex-prompt", "Go to $HOME").warnings).toContain(
      "The text contains $HOME. Codex replaces it by the arguments.",
    );
  });
});
