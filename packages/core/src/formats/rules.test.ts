import { matchesGlob } from "node:path";
import { describe, expect, test } from "vitest";
import { readMarkdown, writeOne } from "./testing-readers.ts";

const rule = (frontmatter: string) => `---\n${frontmatter}\n---\nUse strict types.`;
const globs = rule(`globs: ["src/**/*.{ts,tsx}", "[slug].md"]`);
const list = ["src/**/*.ts", "src/**/*.tsx", "[slug].md"];

/** Cursor takes the rest of the line, and splits it at commas. */
const cursorGlobs = (text: string) => /^globs: (.*)$/m.exec(text)?.[1]?.split(",");

test("a long default in place of each of many marks is refused, and fills no memory", () => {
  const about = (length: number) =>
    `---\nvariables:\n  - name: a\n    default: "${"d".repeat(length)}"\n---\n`;
  const written = (length: number) =>
    writeOne("cursor-rule", `${about(length)}${"{{a}}".repeat(40_000)}`, "rule");
  expect(written(20).text.length).toBeGreaterThan(800_000);
  expect(() => written(12_000)).toThrow(
    expect.objectContaining({
      code: "format_too_large",
      message: "In this format the text is longer than 1 Mi characters.",
    }),
  );
});

describe("the globs of a rule", () => {
  test("reach each tool in its own list", () => {
    expect(cursorGlobs(writeOne("cursor-rule", globs, "rule").text)).toEqual(list);
    const dataOf = (name: Parameters<typeof writeOne>[0]) => readMarkdown(writeOne(name, globs).text).data;
    expect(dataOf("copilot-instructions")["applyTo"]).toBe(list.join(","));
    expect(dataOf("windsurf-rule")).toMatchObject({ trigger: "glob", globs: list.join(",") });
    expect(dataOf("cline-rule")).toEqual({ paths: list });
    expect(dataOf("continue-rule")["globs"]).toEqual(list);
  });

  test("match the same files without their braces", () => {
    for (const glob of ["{a,b}/{c,d}.{e,}", "{a,b{c,d}}", "x{a}", "{,a/}b", "a,b", "**/*.{ts,tsx}"]) {
      const written = cursorGlobs(writeOne("cursor-rule", rule(`globs: ["${glob}"]`), "rule").text) ?? [];
      if (written.length === 0) continue;
      for (const path of ["a/c.e", "b/d.", "a", "b", "bc", "xa", "a/b", "x/y.tsx", "y.ts"])
        expect(
          written.some((one) => matchesGlob(path, one)),
          `${glob} ${path}`,
        ).toBe(matchesGlob(path, glob));
    }
  });

  test("that no list can hold are left out, with a warning", () => {
    const hostile = [
      "a,b",
      "a\n---\nalwaysApply: true",
      "a: b",
      "# a",
      "'a'",
      "{a,{b,c}}",
      "a\u2028b",
      "a b",
      "",
    ];
    for (const glob of hostile) {
      const text = rule(`globs: [ok.ts, ${JSON.stringify(glob)}]`);
      const { text: written, warnings } = writeOne("cursor-rule", text, "rule");
      expect(cursorGlobs(written)).toEqual(["ok.ts"]);
      expect(readMarkdown(written).data).toMatchObject({ alwaysApply: false, globs: "ok.ts" });
      expect(warnings).toEqual(["Some globs are left out. Lists of globs cannot hold them."]);
    }
  });

  test("do not multiply without end", () => {
    const many = ["a", "b"].map((name) => `${name}${"{c,d}".repeat(6)}`);
    const long = `{${"e".repeat(496)},f}`;
    const text = rule(
      `globs: ${JSON.stringify(["{a,b}".repeat(60), `{${"a,".repeat(3000)}}`, long, ...many])}`,
    );
    const { text: written, warnings } = writeOne("cline-rule", text);
    expect(readMarkdown(written).data["paths"]).toHaveLength(100);
    expect(written).not.toContain("eee");
    expect(warnings).toHaveLength(1);
    const hundred = rule(`globs: ["{a,b,c,d,e,f,g,h,i,j}{0,1,2,3,4,5,6,7,8,9}"]`);
    expect(readMarkdown(writeOne("cline-rule", hundred).text).data["paths"]).toHaveLength(100);
  });

  test("are lost in AGENTS.md, which a warning says", () => {
    const { path, text, warnings } = writeOne("agents-md", globs, "rule");
    expect([path, text]).toEqual(["AGENTS.md", "Use strict types.\n"]);
    const lost = ["The rule holds for all files. AGENTS.md has no globs."];
    const warningsOf = (frontmatter: string) => writeOne("agents-md", rule(frontmatter), "rule").warnings;
    expect([warnings, warningsOf("globs: ['*.ts']")]).toEqual([lost, lost]);
    expect([warningsOf("description: d"), warningsOf("alwaysApply: true\nglobs: [a]")]).toEqual([[], []]);
  });
});

describe("a rule that always holds", () => {
  test.for([
    ["cursor-rule", { alwaysApply: true }],
    ["copilot-instructions", { applyTo: "**" }],
    ["windsurf-rule", { trigger: "always_on" }],
    ["continue-rule", { alwaysApply: true }],
    ["agents-md", {}],
  ] as const)("does so in %s", ([name, data]) => {
    expect(readMarkdown(writeOne(name, rule(`alwaysApply: true`), "rule").text).data).toMatchObject(data);
  });

  test("has no paths in Cline, whatever its globs are", () => {
    const { text } = writeOne("cline-rule", rule(`alwaysApply: true\nglobs: [a]`));
    expect(text).toBe("Use strict types.\n");
  });
});

describe("a rule without globs", () => {
  test("has none in Continue, and one with a single glob keeps it", () => {
    const globsOf = (frontmatter: string) =>
      readMarkdown(writeOne("continue-rule", rule(frontmatter), "rule").text).data["globs"];
    expect([globsOf("description: d"), globsOf("globs: ['*.ts']")]).toEqual([undefined, ["*.ts"]]);
  });

  test("is read by its description", () => {
    const text = rule("description: For types");
    expect(readMarkdown(writeOne("cursor-rule", text, "rule").text).data).toEqual({
      description: "For types",
      alwaysApply: false,
    });
    expect(readMarkdown(writeOne("windsurf-rule", text).text).data).toEqual({
      trigger: "model_decision",
      description: "For types",
    });
    expect(readMarkdown(writeOne("copilot-instructions", text).text).data).toEqual({
      name: "Review a pull request",
      description: "For types",
    });
  });

  test("says that nobody gives values to its variables", () => {
    const { text, warnings } = writeOne("cline-rule", "Speak {{language}}.");
    expect(text).toBe("Speak <language>.\n");
    expect(warnings).toEqual(["This format has no arguments. The text shows <language> instead of values."]);
    const known = "---\nvariables:\n  - name: language\n    default: French\n---\nSpeak {{language}}.";
    expect(writeOne("cline-rule", known)).toMatchObject({ text: "Speak French.\n", warnings: [] });
  });
});

describe("an agent", () => {
  const agent = (text: string) => `---\n${text}\n---\nYou review.`;

  test("has its name, tools and model where its tool looks", () => {
    const text = agent(`name: reviewer\ndescription: "Reviews: all"\ntools: [Read, Grep]\nmodel: sonnet`);
    expect(readMarkdown(writeOne("claude-agent", text).text).data).toEqual({
      name: "reviewer",
      description: "Reviews: all",
      tools: "Read, Grep",
      model: "sonnet",
    });
    const copilot = writeOne("copilot-agent", text);
    expect(readMarkdown(copilot.text).data).toMatchObject({ tools: ["Read", "Grep"] });
    expect(readMarkdown(copilot.text).data).not.toHaveProperty("model");
    expect(copilot.warnings).toEqual([
      "The model sonnet is left out. Copilot names models as in its list, such as GPT-5 mini.",
    ]);
    const named = writeOne("copilot-agent", agent("model: Claude Sonnet 4.5 (copilot)"));
    expect(readMarkdown(named.text).data).toMatchObject({ model: "Claude Sonnet 4.5 (copilot)" });
    expect(named.warnings).toEqual([]);
    expect(writeOne("copilot-agent", agent("model: gpt-5 Mini")).warnings).toHaveLength(1);
  });

  test("has its name if every tool takes it", () => {
    const nameOf = (name: string) =>
      readMarkdown(writeOne("claude-agent", agent(`name: "${name}"`)).text).data["name"];
    expect(["a-1", "a", "a-", "-a", "a--b", "A"].map(nameOf)).toEqual([
      "a-1",
      "a",
      ...Array.from({ length: 4 }, () => "pr-review"),
    ]);
  });

  test("is a prompt again as Claude Code keeps it", () => {
    const { text } = writeOne("claude-agent", agent("tools: [Read, 'Bash(git add, git commit)']"));
    expect(text).toContain('tools: "Read, Bash(git add, git commit)"');
    expect(writeOne("claude-agent", text).text).toBe(text);
    expect(readMarkdown(writeOne("copilot-agent", text).text).data["tools"]).toEqual([
      "Read",
      "Bash(git add, git commit)",
    ]);
  });

  test("has the name of the prompt if its own is a sentence, and no model of another tool", () => {
    const text = agent("name: the reviewer\nmodel: inherit");
    expect(readMarkdown(writeOne("claude-agent", text).text).data).toMatchObject({
      name: "pr-review",
      model: "inherit",
    });
    expect(readMarkdown(writeOne("copilot-agent", text).text).data).not.toHaveProperty("model");
    for (const model of ["gpt-5", "my-opus", "opus-like", "claude-x/y", "claude-"])
      expect(readMarkdown(writeOne("claude-agent", agent(`model: ${model}`)).text).data).not.toHaveProperty(
        "model",
      );
  });
});
