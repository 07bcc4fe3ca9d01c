import { parse as parseToml } from "smol-toml";
import { describe, expect, test } from "vitest";
import type { FormatName } from "./index.ts";
import { readMarkdown, writeOne } from "./testing-readers.ts";

const bodyOf = (name: FormatName, text: string, kind?: "text" | "command") => {
  const written = writeOne(name, text, kind).text;
  return name === "gemini-command" ? (parseToml(written)["prompt"] as string) : readMarkdown(written).body;
};

const lead = "Input, in this order: <a>, <b>";
const ask =
  "Find the values of <a>, <b> in the request. Ask for what is missing and has no other value here.";

describe("the arguments of a command", () => {
  test.for([
    [
      "claude-command",
      "1 $ARGUMENTS {{",
      `${lead}\n$ARGUMENTS\n\n1 <a> <b> <a>`,
      `Input, in this order: <b>\n\n$ARGUMENTS <b>`,
    ],
    [
      "gemini-command",
      "1 {{args}} {{",
      `${lead}\n{{args}}\n\n1 <a> <b> <a>`,
      `Input, in this order: <b>\n\n{{args}} <b>`,
    ],
    ["opencode-command", "1 $ARGUMENTS {{", "1 $1 $2 $1", "$ARGUMENTS $1"],
    ["codex-prompt", "1 $ARGUMENTS {{", "1 $A $B $A", "$ARGUMENTS $B"],
    ["copilot-prompt", "1 ${input:a} {{", "1 ${input:a} ${input:b} ${input:a}", "${input:args} ${input:b}"],
  ] as const)("%s marks them as its tool reads them", ([name, one, several, withArgs]) => {
    expect(bodyOf(name, "1 {{ a }} \\{{")).toBe(`${one}\n`);
    expect(bodyOf(name, "1 {{a}} {{b}} {{a}}")).toBe(`${several}\n`);
    expect(bodyOf(name, "{{args}} {{b}}", "command")).toBe(`${withArgs}\n`);
  });

  test.for(["cursor-command", "cline-workflow", "continue-prompt"] as const)(
    "%s leaves them to the model, since its tool fills in nothing",
    (name) => {
      expect(bodyOf(name, "1 {{a}} {{b}} \\{{")).toBe(`${ask}\n\n1 <a> <b> {{\n`);
      expect(bodyOf(name, "No variable \\{{x}}")).toBe("No variable {{x}}\n");
    },
  );

  test("of a workflow of Windsurf stand below its title", () => {
    expect(bodyOf("windsurf-workflow", "1 {{a}} {{b}}")).toBe(
      `# Review a pull request\n\n${ask}\n\n1 <a> <b>\n`,
    );
  });

  test("of VS Code say what they are for, whatever is written there", () => {
    const text =
      "---\nvariables:\n  - name: a\n    description: 'The } {{x}} : diff | ${input:b}'\n---\n{{a}}";
    expect(bodyOf("copilot-prompt", text)).toBe("${input:a:The x diff $ input b}\n");
  });

  test("are hinted at in one line, for readers that take more for a line break than others", () => {
    const hint = "a\u2028b\u2029c\nd";
    const { text } = writeOne(
      "claude-command",
      `---\nargumentHint: ${JSON.stringify(hint)}\n---\nDo`,
      "command",
    );
    expect(text).not.toMatch(/[\u2028\u2029]/);
    expect(readMarkdown(text).data["argument-hint"]).toBe(hint);
  });

  test("of Codex have one name each", () => {
    expect(bodyOf("codex-prompt", "{{a}} {{A}} {{_a}} {{arguments}} {{arg_2}}")).toBe(
      "$A $ARG_2 $ARG_3 $ARG_4 $ARG_5\n",
    );
  });

  test("are shown as a hint: the author's, else the names", () => {
    const hint = (name: FormatName, text: string) => readMarkdown(writeOne(name, text, "command").text).data;
    expect(hint("claude-command", "---\nargumentHint: '[x] \"y\"'\n---\n{{a}}")).toMatchObject({
      "argument-hint": '[x] "y"',
    });
    expect(hint("claude-command", "{{a}} {{b}}")).toMatchObject({ "argument-hint": "[a] [b]" });
    expect(hint("codex-prompt", "{{a}} {{b}}")).toMatchObject({ "argument-hint": "A=… B=…" });
    expect(hint("claude-command", "None")).not.toHaveProperty("argument-hint");
  });
});

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
  ] as const;

  test.for(cases)("%s refuses it: %s", ([name, text]) => {
    expect(() => writeOne(name, text)).toThrow(
      expect.objectContaining({ name: "FormatError", code: "format_unsafe" }),
    );
  });

  test.for(cases)("%s takes it from a command, with a warning: %s", ([name, text]) => {
    expect(writeOne(name, text, "command").warnings[0]).toMatch(/(runs the shell commands|reads the files)/);
  });

  test("is a rule with a warning, but for Cursor no text", () => {
    for (const name of ["cursor-rule", "cline-rule", "agents-md"] as const)
      expect(writeOne(name, "See @src/a.ts", "rule").warnings).toEqual([
        expect.stringContaining("reads the files that the text names after @"),
      ]);
    expect(() => writeOne("cursor-rule", "See @src/a.ts", "text")).toThrow(
      expect.objectContaining({ code: "format_unsafe" }),
    );
  });

  test("is not what only looks like it", () => {
    const text = "Hi @alice! `code` me@example.com, @Override @app.route('/') @pytest.fixture; wow! `x`";
    const maybe = [expect.stringContaining("may take words after @ for a file: @")];
    // A decorator, or a file such as terraform.tfstate: a warning, since nobody can tell.
    expect(writeOne("claude-command", text).warnings).toEqual(maybe);
    expect(writeOne("opencode-command", text).warnings).toEqual(maybe);
    expect(writeOne("claude-command", text.replace("@pytest.fixture;", "")).warnings).toEqual([]);
  });

  test("is named with what was found", () => {
    expect(() => writeOne("claude-command", "One\n\nSee @docs/ä.md now")).toThrow(
      "Claude Code reads the files that the text names after @: @docs/?.md. This format refuses that in a prompt of kind text.",
    );
  });

  test("is looked at in linear time", () => {
    for (const piece of ["@", "@a.", "@a-", "!", "a@a", "`", "@a.a.a("]) {
      const text = piece.repeat(Math.floor(250_000 / piece.length));
      const start = performance.now();
      writeOne("claude-command", text, "command");
      expect(performance.now() - start).toBeLessThan(1000);
    }
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

describe("the settings of a command", () => {
  test("name the tools that Claude Code then does not ask for", () => {
    const { text, warnings } = writeOne(
      "claude-command",
      "---\ntools: [Read, 'Bash(git add:*)']\n---\nDo",
      "command",
    );
    expect(readMarkdown(text).data).toEqual({
      description: "Reviews a pull request.",
      "allowed-tools": "Read, Bash(git add:*)",
    });
    expect(warnings).toEqual(["Claude Code does not ask before it uses the tools that the command names."]);
  });

  test("are kept under the names of Claude Code, and the own names win", () => {
    const data = (frontmatter: string) =>
      readMarkdown(writeOne("claude-command", `---\n${frontmatter}\n---\nDo`, "command").text).data;
    expect(data("argument-hint: '[x]'\nallowed-tools: Read, Grep,\nmodel: haiku")).toMatchObject({
      "argument-hint": "[x]",
      "allowed-tools": "Read, Grep",
      model: "haiku",
    });
    expect(data("argument-hint: [issue]")).toMatchObject({ "argument-hint": "[issue]" });
    const both = "argument-hint: '[x]'\nallowed-tools: Read\nargumentHint: '[y]'\ntools: [Grep]";
    expect(data(both)).toMatchObject({ "argument-hint": "[y]", "allowed-tools": "Grep" });
  });

  test("name a model only to a tool that knows it", () => {
    const model = (name: FormatName, of: string) =>
      readMarkdown(writeOne(name, `---\nconfig: { model: ${of} }\n---\nDo`).text).data["model"];
    expect(model("claude-command", "sonnet")).toBe("sonnet");
    expect(model("claude-command", "gpt-5-mini")).toBeUndefined();
    expect(model("opencode-command", "openai/gpt-5-mini")).toBe("openai/gpt-5-mini");
    expect(model("opencode-command", "gpt-5-mini")).toBeUndefined();
  });

  test("of Continue make it a slash command", () => {
    expect(readMarkdown(writeOne("continue-prompt", "Do").text).data).toEqual({
      name: "pr-review",
      description: "Reviews a pull request.",
      invokable: true,
    });
  });

  test("are refused by Windsurf above 12,000 characters", () => {
    expect(writeOne("windsurf-workflow", "x".repeat(11_900)).text.length).toBeLessThanOrEqual(12_000);
    for (const [name, kind] of [
      ["windsurf-workflow", "text"],
      ["windsurf-rule", "rule"],
    ] as const)
      expect(() => writeOne(name, "x".repeat(12_000), kind)).toThrow(
        expect.objectContaining({ code: "format_too_large" }),
      );
  });
});
