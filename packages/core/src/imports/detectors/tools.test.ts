import { describe, expect, test } from "vitest";
import { writeFormat } from "../../formats/index.ts";
import { sourceOf } from "../../formats/testing.ts";
import { foundIn, promptIn, said, versionOf } from "../testing.ts";
import { detectors } from "./table.ts";

describe("what a format writes is found again", () => {
  test.each([
    ["claude-command", "command"],
    ["claude-agent", "agent"],
    ["cursor-rule", "rule"],
    ["cursor-command", "command"],
    ["copilot-prompt", "command"],
    ["copilot-instructions", "rule"],
    ["copilot-agent", "agent"],
    ["windsurf-rule", "rule"],
    ["windsurf-workflow", "command"],
    ["cline-rule", "rule"],
    ["cline-workflow", "command"],
    ["continue-prompt", "command"],
    ["continue-rule", "rule"],
    ["gemini-command", "command"],
    ["codex-prompt", "command"],
    ["opencode-command", "command"],
    ["agent-skill", "skill"],
  ] as const)("%s", async (format, kind) => {
    const [file] = writeFormat(format, sourceOf(kind)).files;
    const { detector, found } = await foundIn(file!.path, String(file!.content));
    expect([detector, found]).toEqual([format, [expect.objectContaining({ kind, name: "pr-review" })]]);
    const prompt = await promptIn(file!.path, String(file!.content));
    versionOf(prompt);
    const words = {
      agent: "You review code.",
      rule: "Use strict types.",
      skill: "See reference/style.md.",
      command: "Review ",
    }[kind];
    expect(prompt.entry).toContain(words);
    if (kind === "command" && /claude|gemini|codex|opencode/.test(format))
      expect(prompt.entry).toContain("Review {{args}}.");
    if (kind === "rule" && !/cline|windsurf/.test(format)) expect(prompt.entry).toMatch(/globs|src/);
  });
});

test("commands and agents of a plugin are found beside its manifest, and nowhere else", async () => {
  const others = { "plugins/a/.claude-plugin/plugin.json": "{}" };
  const at = async (path: string) => (await foundIn(path, "Do $ARGUMENTS.", others)).detector;
  expect(await at("plugins/a/commands/db/ship.md")).toBe("claude-plugin-command");
  expect(await at("plugins/a/agents/reviewer.md")).toBe("claude-plugin-agent");
  for (const path of ["commands/ship.md", "plugins/b/agents/x.md", "plugins/a/docs/agents/x.md"])
    expect(await at(path)).toBe(null);
  const { name, entry } = await promptIn("plugins/a/commands/db/ship.md", "Do $ARGUMENTS.", others);
  expect([name, entry]).toEqual(["db/ship", expect.stringContaining("Do {{args}}.")]);
});

describe("a file of a tool", () => {
  test("that is no YAML is read line by line, and a line that cannot be is named", async () => {
    const text =
      "---\ndescription: Use when: x\nglobs: *.ts, src/**/*.{a,b}\n  odd\nalwaysApply: false\n---\nBe strict.";
    const { entry, summary, warnings } = await promptIn(".cursor/rules/strict.mdc", text);
    expect(summary).toBe("Use when: x");
    expect(entry).toMatch(/globs:\n {2}- "\*\.ts"\n {2}- src\/\*\*\/\*\.\{a,b\}\nalwaysApply: false\n/);
    expect(warnings).toEqual([expect.stringMatching(/ Line 4 of it could not be read\.$/)]);
  });

  test("whose braces are text keeps them: by saying that it has no variables, else escaped", async () => {
    const text = "Set ${{ env.NODE }} and {{name}}, as in {{#if x}} or \\{{y}}.";
    const rule = await promptIn(".cursor/rules/a.mdc", text);
    expect(rule.entry).toBe(`---\nvariables: false\n---\n\n${text}\n`);
    const command = await promptIn(".claude/commands/a.md", `${text} Do $ARGUMENTS.`);
    expect(said(command, { args: "it" })).toEqual([{ role: "user", text: `${text} Do it.\n` }]);
    for (const draft of [rule, command]) expect(versionOf(draft).warnings).toEqual([]);
    const plain = await promptIn(".cursor/rules/a.mdc", "Set { a: 1 }.");
    expect(plain.entry).toBe("Set { a: 1 }.\n");
  });

  test("with CRLF, a byte order mark and no closing line is text", async () => {
    const open = await promptIn(".cursor/rules/a.mdc", "---\r\nalwaysApply: true\r\nBe strict.");
    expect(open.warnings).toEqual(["The frontmatter has no closing ---. It stays in the text."]);
    const windows = await promptIn(
      ".cursor/rules/a.mdc",
      "---\r\nalwaysApply: true\r\n---\r\nBe strict.\r\n",
    );
    expect(windows.entry).toContain("alwaysApply: true");
  });

  test("in a folder of commands has the folder in its name", async () => {
    expect(await promptIn(".claude/commands/git/commit.md", "Commit $ARGUMENTS")).toMatchObject({
      kind: "command",
      name: "git/commit",
      title: "Git commit",
      entry: "Commit {{args}}\n",
    });
  });

  test("has its braces as they stand, where the tool fills in nothing", async () => {
    const text = "Write `{{ user }}` in Vue, and {{name}} in Handlebars.";
    expect(said(await promptIn("CLAUDE.md", text))).toEqual([{ role: "system", text: `${text}\n` }]);
  });

  test("that runs commands or reads files says so, with its line", async () => {
    const { warnings } = await promptIn(".claude/commands/x.md", "Look:\n!`git status`\n@src/index.ts");
    expect(warnings).toEqual([
      "Line 2 of its text: !`git status`: Claude runs a command there. Here it is text.",
      "Line 3 of its text: @src/index.ts: Claude reads a file there. Here it is text.",
    ]);
  });

  test("names packages, decorators and people without being warned of files", async () => {
    const text = 'Mail @ada. Use `@nestjs/core`:\n```py\n@click.group()\nimport "@swc/jest"\n```\n';
    expect((await promptIn(".cursor/rules/a.mdc", text)).warnings).toEqual([]);
  });

  test("has its only first heading as title, and none of several", async () => {
    const titleOf = async (text: string) => (await promptIn(".cursor/rules/vue-3.mdc", text)).title;
    expect(await titleOf("# Vue\n\nUse it.\n\n```sh\n# install\nnpm i\n```\n")).toBe("Vue");
    expect(await titleOf("# Persona\n\nYou.\n\n# Style\n\nBrief.\n")).toBe("Vue 3");
    expect(await titleOf(`${"x\n".repeat(20)}# Late\n`)).toBe("Late");
    expect(await titleOf(`${"x\n".repeat(21)}# Late\n`)).toBe("Vue 3");
    expect(await titleOf("# Vue\n\nMark code by ```.\n\n# Style\n")).toBe("Vue 3");
  });

  test("of several models takes the first, and says so", async () => {
    const { entry, warnings } = await promptIn("a.agent.md", "---\nmodel: [GPT-5, Opus]\n---\nHi");
    expect(entry).toContain("model: GPT-5\n");
    expect(warnings).toEqual(["Of its models the first is taken: GPT-5."]);
  });

  test("of one model in a list says nothing", async () => {
    const { entry, warnings } = await promptIn("a.agent.md", "---\nmodel: [GPT-5]\n---\nHi");
    expect([entry, warnings]).toEqual(["---\nmodel: GPT-5\n---\n\nHi\n", []]);
  });

  test("may have its globs in one text", async () => {
    expect((await promptIn("AGENTS.md", '---\nglobs: "*.ts, ,*.js,"\n---\nHi')).entry).toBe(
      '---\nglobs:\n  - "*.ts"\n  - "*.js"\n---\n\nHi\n',
    );
  });

  test("that is broken TOML, or has no prompt, is refused with a sentence", async () => {
    for (const [text, reason] of [
      ["prompt = ", "It is not valid TOML: "],
      ["description = 'x'", "It has no prompt."],
    ] as const)
      await expect(promptIn(".gemini/commands/x.toml", text)).rejects.toThrow(reason);
  });

  test.each(["README.md", "docs/prompts.md", ".github/workflows/x.yml", "prompts/README.md"])(
    "and %s is none",
    async (path) => {
      expect(await foundIn(path, "Text")).toEqual({ detector: null, found: [] });
    },
  );

  test("and a file without a text is refused", async () => {
    for (const text of ["\n", "---\ndescription: Nothing\n---\n"])
      await expect(promptIn(".claude/commands/empty.md", text)).rejects.toThrow("It has no text.");
  });
});

test.each([
  [".clinerules/a.md", "---\nglobs: ['**/*.cpp']\n---\nX"],
  [".claude/rules/a.md", "---\nglobs: ['**/*.cpp']\n---\nX"],
])("a rule keeps its globs, though its tool calls them paths: %s", async (path, text) => {
  expect((await promptIn(path, text)).entry).toContain('globs:\n  - "**/*.cpp"');
});

test.each([
  ["AGENTS.md", "Be brief."],
  [".github/copilot-instructions.md", "Be brief."],
  ["a.instructions.md", '---\napplyTo: "**"\n---\nBe brief.'],
  [".windsurfrules", "Be brief."],
  [".windsurf/rules/a.md", "---\ntrigger: always_on\n---\nBe brief."],
])("instructions for a whole project always hold: %s", async (path, text) => {
  expect((await promptIn(path, text)).entry).toBe("---\nalwaysApply: true\n---\n\nBe brief.\n");
});

test("commands of an extension of Gemini CLI lie beside its manifest", async () => {
  const command = 'prompt = "Review {{args}}"';
  const extension = { "ext/gemini-extension.json": "{}" };
  expect(await promptIn("ext/commands/code/review.toml", command, extension)).toMatchObject({
    kind: "command",
    name: "code/review",
  });
  expect((await foundIn("ext/commands/code/review.toml", command)).found).toEqual([]);
});

const project = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9";
test.each([
  "promptreg.json",
  "a/SKILL.md",
  "promptfooconfig.yaml",
  ".claude/commands/a.md",
  ".claude/agents/a.md",
  ".claude/rules/a.md",
  "commands/a.md",
  "agents/a.md",
  ".cursor/rules/a.mdc",
  ".cursor/commands/a.md",
  ".cursorrules",
  "web/.cursorrules",
  ".windsurf/workflows/a.md",
  ".windsurf/rules/a.md",
  ".windsurfrules",
  "web/.windsurfrules",
  ".clinerules/workflows/a.md",
  ".clinerules/a.md",
  ".clinerules",
  ".continue/prompts/a.md",
  ".continue/rules/a.md",
  ".opencode/command/a.md",
  ".opencode/agent/a.md",
  ".codex/prompts/a.md",
  ".gemini/commands/a.toml",
  "a.prompt.md",
  "a.instructions.md",
  ".github/copilot-instructions.md",
  ".github/agents/a.md",
  "a.chatmode.md",
  "a.mdc",
  "AGENTS.md",
  "web/AGENTS.md",
  "a.prompt.yml",
  "a.prompt",
  "a.prompty",
  "a.csv",
  "a.jsonl",
  "a.json",
  "conversations.json",
  "conversations-001.json",
  "projects.json",
  `projects/${project}.json`,
  "patterns/a/system.md",
  "prompts/a.md",
])("who reads %s does not read a file whose name goes on after it", (path) => {
  const readers = detectors.filter((one) => one.takes(path));
  expect(readers).not.toEqual([]);
  expect(readers.filter((one) => one.takes(`${path}~`))).toEqual([]);
});

test.each([
  ["conversations-.json", ["chatgpt-conversations", "claude-conversations"]],
  ["patterns/a/b/system.md", ["fabric"]],
])("%s is no file of %j", (path, names) => {
  expect(detectors.filter((one) => one.takes(path) && names.includes(one.name))).toEqual([]);
});

test.each([
  ".prompt.md",
  ".instructions.md",
  ".chatmode.md",
  ".mdc",
  ".codex/prompts/.md",
  "patterns//system.md",
  "prompts//system.md",
  "prompts/.md",
])("%s has no name before its ending, so that it is no file of a tool", (path) => {
  expect(detectors.filter((one) => one.takes(path)).map(({ name }) => name)).toEqual([]);
});
