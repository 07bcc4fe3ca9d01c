import { parse as parseToml } from "smol-toml";
import { describe, expect, test } from "vitest";
import type { FormatName } from "./index.ts";
import { readMarkdown, writeOne } from "./testing-readers.ts";
import { windsurfFile } from "./windsurf.ts";

const bodyOf = (name: FormatName, text: string, kind?: "text" | "command") => {
  const written = writeOne(name, text, kind).text;
  return name === "gemini-command" ? (parseToml(written)["prompt"] as string) : readMarkdown(written).body;
};

const lead = "Input, in this order: <a>, <b>";
const ask = "Find the values of <a>, <b> in the request. Ask for those that are missing and have no default.";

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

  test.for([
    ["claude-command", "$ARGUMENTS"],
    ["gemini-command", "{{args}}"],
  ] as const)("with defaults or options say so above the text of %s", ([name, marker]) => {
    const one = "---\nvariables: [{ name: a, type: enum, options: [x, y], default: x }]\n---\nBe {{a}}";
    const said = "Input, in this order: <a> (x or y, otherwise x)";
    expect(bodyOf(name, one)).toBe(`${said}\n${marker}\n\nBe <a>\n`);
    expect(bodyOf(name, `${one} {{b}}`)).toBe(`${said}, <b>\n${marker}\n\nBe <a> <b>\n`);
  });

  test.for(["opencode-command", "codex-prompt", "copilot-prompt"] as const)(
    "with defaults have none in %s, which says so",
    (name) => {
      const text = "---\nvariables: [{ name: a, default: x }]\n---\nBe {{a}}";
      expect(writeOne(name, text).warnings).toContainEqual(
        expect.stringMatching(/has no defaults of variables. Give the values of a yourself.$/),
      );
    },
  );

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
    expect(bodyOf("codex-prompt", "{{a}} {{A}} {{_a}} {{arguments}} {{arg_2}} {{aB}}")).toBe(
      "$A $ARG_2 $ARG_3 $ARG_4 $ARG_5 $ARG_6\n",
    );
  });

  test("that all came as positions stay positions, and what only looks like one does not", () => {
    expect(bodyOf("codex-prompt", "{{arguments_0}} {{arg_2}} {{arguments_10}}")).toBe("$1 $2 $11\n");
    expect(bodyOf("claude-command", "{{arguments_0}} {{arg_2}}")).toBe("$ARGUMENTS[0] $2\n");
    for (const name of ["barg_1", "arg_12", "arg_0", "arguments_100"])
      expect(bodyOf("claude-command", `{{${name}}}`)).toBe("$ARGUMENTS\n");
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
    expect(windsurfFile("a.md", "x".repeat(11_999)).content).toHaveLength(12_000);
    expect(() => windsurfFile("a.md", "x".repeat(12_000))).toThrow("This one would have 12001.");
    for (const [name, kind] of [
      ["windsurf-workflow", "text"],
      ["windsurf-rule", "rule"],
    ] as const)
      expect(() => writeOne(name, "x".repeat(12_000), kind)).toThrow(
        expect.objectContaining({ code: "format_too_large" }),
      );
  });
});
