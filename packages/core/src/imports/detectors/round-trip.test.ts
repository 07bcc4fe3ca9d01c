import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FormatName, writeFormat } from "../../formats/index.ts";
import { sourceOf } from "../../formats/testing.ts";
import { renderVersion } from "../../template/version.ts";
import { promptIn, said } from "../testing.ts";

const names = [
  "openai-messages",
  "langchain",
  "langfuse",
  "promptfoo",
  "github-models",
  "dotprompt",
] as const;
type Source = ReturnType<typeof sourceOf>;

/** What a format writes, as it is read again. */
function readBack(name: FormatName, source: Source) {
  const [first, ...others] = writeFormat(name, source).files;
  const rest = Object.fromEntries(others.map(({ path, content }) => [path, String(content)]));
  return promptIn(first!.path, String(first!.content), rest);
}

/** What was written, as it is rendered. */
function written({ files, version }: Source, values: Record<string, string>) {
  const entry = { path: version.entry, encoding: "utf8" as const, content: String(files[0]?.content) };
  const { messages } = renderVersion({ ...version, files: [entry] }, values, { strict: false });
  return messages.map(({ role, content }) => ({ role, text: content }));
}

const chatOf = (...messages: object[]) => sourceOf("chat", { text: JSON.stringify({ messages }) });

const hostile = [
  "{{#if name}}yes no{{/if}} {{> partial}} {{! comment}} {{^a}}{{/a}} {{& x }} {{=<% %>=}}",
  "{{{name}}} {name} {{{{name}}}} {{}} {{{{ }}}} }} {{",
  "{% raw %} {%- if 1 -%} {{- 1 -}} {{ 7 * 7 }} {# comment #} #} a#}b {{name|upper}}",
  "C:\\dir <b>&amp;\"quotes\"</b> 'single' `ticks` {{name}}}",
  "{% include 'x' %}\n---\nlangfuse://x\n  indented\n\ttab",
  "{{@root}} {{../x}} {{.}} {{lookup . 'a'}} 𝒳 日本語 \u2028 \u0085 \u0007 é",
  "${name} $& $1 <%= name %> <% %> ${input:x} [[x]] $ARGUMENTS",
];

describe.for(names)("%s", (name) => {
  test.for(hostile)("keeps %j", async (text) => {
    const source = sourceOf("text", { text: `Dear ${text} of {{name}}.` });
    const draft = await readBack(name, source);
    expect(draft.kind).toBe("text");
    expect(said(draft, { name: "Ada" })).toEqual(trimmed(written(source, { name: "Ada" })));
  });

  test("keeps any text", async () => {
    const pieces = ["{", "}", "{{", "}}", "%", "#", "!", " ", "1", "{{name}}", "=", "/", "-", "~", '"', "x"];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 20 }), async (random) => {
        const source = sourceOf("text", { text: `>${random.join("")}<` });
        const values = Object.fromEntries(source.version.variables.map((one) => [one.name, "Ada"]));
        expect(said(await readBack(name, source), values)).toEqual(trimmed(written(source, values)));
      }),
      { numRuns: 200, examples: [[["{{", "x", " ", "}}"]]] },
    );
  });

  test("keeps the messages of a chat, with roles that it has", async () => {
    const source = chatOf(
      { role: "system", content: "Be {{tone}}{" },
      { role: "user", content: "}Hello {{who}}" },
      { role: "assistant", content: "{{#each}}" },
      { role: "user", content: "Go on" },
    );
    const draft = await readBack(name, source);
    expect(draft.kind).toBe("chat");
    expect(said(draft, { tone: "kind", who: "Ada" })).toEqual(written(source, { tone: "kind", who: "Ada" }));
  });
});

const trimmed = (messages: { role: string; text: unknown }[]) =>
  messages.map(({ role, text }) => ({ role, text: `${String(text).trimEnd()}\n` }));

/** Files as their tools have them, in the form in which we write them. */
const ofTools: [name: FormatName, kind: "command" | "agent" | "rule", path: string, text: string][] = [
  [
    "claude-command",
    "command",
    ".claude/commands/fix.md",
    '---\ndescription: "Fixes it"\nargument-hint: "[issue] [branch]"\nallowed-tools: "Read, Bash(git add:*)"\nmodel: opus\nagent: "Explore"\ncontext: fork\ndisable-model-invocation: true\n---\n\nFix $1 on $2, all of $ARGUMENTS.\n',
  ],
  [
    "claude-command",
    "command",
    ".claude/commands/fix.md",
    '---\ndescription: "Fixes it"\nargument-hint: "[issue]"\n---\n\nFix $ARGUMENTS[1] of $ARGUMENTS[0], {{here}}.\n',
  ],
  [
    "codex-prompt",
    "command",
    ".codex/prompts/fix.md",
    '---\ndescription: "Fixes it"\nargument-hint: "[a]"\n---\n\nFix $2, then $1.\n',
  ],
  [
    "opencode-command",
    "command",
    ".opencode/commands/fix.md",
    '---\ndescription: "Fixes it"\n---\n\nFix $2, then $1.\n',
  ],
  [
    "claude-agent",
    "agent",
    ".claude/agents/fixer.md",
    '---\nname: fixer\ndescription: "Fixes it"\ntools: []\nmodel: fable\ncolor: red\ndisallowedTools: "Bash"\nmaxTurns: 5\nskills: ["pdf"]\n---\n\nYou fix {{braces}}.\n',
  ],
  [
    "copilot-agent",
    "agent",
    ".github/agents/fixer.agent.md",
    '---\nname: "The Fixer"\ndescription: "Fixes it"\ntools: ["read"]\nmodel: "GPT-5 mini"\nargument-hint: "an issue"\nagents: ["reader"]\ndisable-model-invocation: true\nuser-invocable: false\ntarget: vscode\n---\n\nYou fix.\n',
  ],
  [
    "copilot-instructions",
    "rule",
    ".github/instructions/style.instructions.md",
    '---\nname: "C# Style"\ndescription: "How we write"\napplyTo: "**/*.cs,src/**/*.ts"\n---\n\n# Style\n\nBe brief.\n',
  ],
  ["cursor-rule", "rule", ".cursor/rules/by-hand.mdc", "---\nalwaysApply: false\n---\n\nBe brief.\n"],
  ["gemini-command", "command", ".gemini/commands/fix.toml", 'prompt = """\nFix {{args}}.\n"""\n'],
  [
    "cursor-rule",
    "rule",
    ".cursor/rules/style.mdc",
    '---\ndescription: "How we write"\nglobs: **/*.cs,src/**/*.ts\nalwaysApply: false\n---\n\nBe brief.\n',
  ],
];

describe("a file of a tool goes out as it came in", () => {
  test.each(ofTools)("%s", async (name, kind, path, text) => {
    const { entry, title, summary } = await promptIn(path, text);
    const slug = path.replace(/^.*\/|\..*$/g, "").replace(/\..*$/, "");
    const source = { ...sourceOf(kind, { text: entry }), slug, title, summary };
    const { files, warnings } = writeFormat(name, source);
    expect(String(files[0]?.content)).toBe(text);
    expect(warnings?.filter((one) => one.includes("left out"))).toEqual([]);
  });

  test.each([
    [
      "claude-agent",
      ".claude/agents/x.md",
      "hooks: { Stop: [] }\nmcpServers: [x]\npermissionMode: bypassPermissions",
      "hooks, mcpServers, permissionMode",
    ],
    [
      "copilot-agent",
      ".github/agents/x.agent.md",
      "mcp-servers: { x: { command: y } }\nhandoffs: []",
      "handoffs, mcp-servers",
    ],
    ["claude-command", ".claude/commands/x.md", "hooks: { Stop: [] }", "hooks"],
  ] as const)("but nothing that starts something: %s", async (name, path, fields, left) => {
    const { entry, kind } = await promptIn(path, `---\ndescription: D\n${fields}\n---\nDo.`);
    const { files, warnings } = writeFormat(name, sourceOf(kind, { text: entry }));
    for (const field of left.split(", ")) expect(String(files[0]?.content)).not.toContain(field);
    expect(warnings).toContainEqual(expect.stringMatching(new RegExp(` is left out: ${left}\\.`)));
  });

  test("nor a field that the tool would not take", async () => {
    const { entry } = await promptIn(
      ".claude/agents/x.md",
      "---\ndescription: D\ncolor: null\nskills: [pdf, { x: 1 }]\nmaxTurns: 3\n---\nDo.",
    );
    const text = String(writeFormat("claude-agent", sourceOf("agent", { text: entry })).files[0]?.content);
    expect(text).toContain("maxTurns: 3");
    expect(text).not.toMatch(/color|skills/);
  });

  test("nor an argument by number whose default would be lost", () => {
    const text =
      "---\nvariables: [{ name: arg_1, default: main }]\n---\nGo to {{arg_1}} as {{arguments_10}}.";
    const written = writeFormat("claude-command", sourceOf("command", { text }));
    expect(String(written.files[0]?.content)).toContain("<arg_1> (otherwise main)");
  });
});
