import { parse as parseToml } from "smol-toml";
import { describe, expect, test } from "vitest";
import type { PromptKind } from "../content/kinds.ts";
import { formatKinds, type FormatName, formatNames, formats, writeFormat } from "./index.ts";
import { entryOf, readMarkdown, textOf } from "./testing-readers.ts";
import { sourceOf } from "./testing.ts";

const titles = [
  `"Quotes" and 'more': it's #1`,
  "--- ends --- it ---",
  "*/ <b>&amp;</b> {a: [b]} %20 | > !tag &anchor *alias",
  "🙂 line\u2028separator\u2029 next\u0085 line \uFEFF mark \u007F",
  "😀".repeat(140),
  "null",
  "123",
  "- a: b",
];
const bodies = [
  "---\nalwaysApply: true\n---\nText",
  "\n\n --- \nname: other\n---\nText",
  '"""\nprompt = "x"\n""""" \\" \\\\ \\u0041 \\',
  "A bell \u0007 and a \u2028 separator\r\nand more\ttext",
  'Ends with quotes: ""',
  "x".repeat(256 * 1024 - 20),
];

/** The formats whose files are Markdown of our making, with frontmatter or without. */
const markdowns = formatNames.filter(
  (name) =>
    !["vscode-skill-manifest", "gemini-command", "openai-messages"].includes(name) && isMarkdown(name),
);
function isMarkdown(name: FormatName) {
  const { files } = writeFormat(name, sourceOf(formatKinds[name][0]));
  return /\.mdc?$/.test(files[0]!.path);
}
const tooLong = (name: FormatName, body: string) => name.startsWith("windsurf") && body.length > 10_000;

/** The kind in which a format gets a text without frontmatter of its own. */
const kindFor = (name: FormatName) => formatKinds[name].find((kind) => kind !== "skill" && kind !== "chat")!;

describe("what a format writes is read back", () => {
  test.for(markdowns)("%s, with any title and summary", (name) => {
    for (const title of titles) {
      const text = `Do it.`;
      const kind = kindFor(name);
      const source = sourceOf(kind, { text, title, summary: title, files: [entryOf(kind, text)] });
      const { data, body } = readMarkdown(String(writeFormat(name, source).files[0]!.content));
      expect(body.endsWith("Do it.\n")).toBe(true);
      for (const value of [data["description"], data["name"]])
        if (value !== undefined && value !== "pr-review")
          expect(value).toBe(name === "claude-skill" ? flat(title).replace(/[<>]/g, "") : flat(title));
    }
  });

  test.for(markdowns)("%s, with any body", (name) => {
    for (const body of bodies.filter((one) => !tooLong(name, one))) {
      const kind = kindFor(name);
      const text = `---\nconfig: {}\n---\n\n${body}`;
      const source = sourceOf(kind, { text, files: [entryOf(kind, text)] });
      const { data, body: read } = readMarkdown(String(writeFormat(name, source).files[0]!.content));
      expect(read.endsWith(`${body.trim()}\n`)).toBe(true);
      expect(data).not.toHaveProperty("name", "other");
      expect(data["alwaysApply"] ?? false).toBe(false);
    }
  });

  test("gemini-command as TOML, with any summary and body", () => {
    for (const summary of titles)
      for (const body of bodies) {
        const text = `---\nconfig: {}\n---\n${body}`;
        const source = sourceOf("text", { text, summary, files: [entryOf("text", text)] });
        const { files } = writeFormat("gemini-command", source);
        expect(parseToml(textOf(files, ".gemini/commands/pr-review.toml"))).toEqual({
          description: flat(summary),
          prompt: `${body.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd()}\n`,
        });
      }
  });

  test("a text without variables is that text in every format, as if its braces were escaped", () => {
    const literal = "Write {{name}} or \\{{name}}.";
    const escaped = "Write \\{{name}} or \\\\{{name}}.";
    const written = (name: FormatName, kind: PromptKind, line: string, body: string) => {
      const content = {
        messages: [{ role: "user", content: body }],
        ...(line !== "" && { variables: false }),
      };
      const text = kind === "chat" ? JSON.stringify(content) : `---\n${line}description: d\n---\n${body}`;
      const source = sourceOf(kind, { text, files: [entryOf(kind, text)] });
      return writeFormat(name, source).files.map((one) => String(one.content));
    };
    for (const name of formatNames) {
      if (["json", "openai-messages", "mcp-prompt"].includes(name)) continue;
      for (const kind of formatKinds[name].filter((one) => !["skill", "media"].includes(one)))
        expect([name, kind, written(name, kind, "variables: false\n", literal)]).toEqual([
          name,
          kind,
          written(name, kind, "", escaped),
        ]);
    }
    for (const name of ["openai-messages", "mcp-prompt"] as const)
      expect(written(name, "chat", "variables: false\n", literal).join()).toContain(
        JSON.stringify(literal).slice(1, -1),
      );
  });

  test("warnings fit into a header", () => {
    for (const name of formatNames)
      for (const kind of formatKinds[name])
        for (const warning of writeFormat(name, sourceOf(kind)).warnings ?? [])
          expect(warning).toMatch(/^[\x20-\x7E]+\.$/);
  });

  test("files lie in another folder if one is given", () => {
    const { files } = writeFormat("agent-skill", sourceOf("skill"), { folder: ".claude/skills" });
    expect(files.map(({ path }) => path)).toEqual([
      ".claude/skills/pr-review/SKILL.md",
      ".claude/skills/pr-review/reference/style.md",
    ]);
    expect(formats["agent-skill"].folder).toBe(".agents/skills");
  });

  test("a chat as one text says what it loses", () => {
    const { files, warnings } = writeFormat("markdown", sourceOf("chat"));
    expect(textOf(files, "pr-review.md")).toBe("You review code.\n\nReview {{diff}}.\n");
    expect(warnings).toEqual([
      "Only the texts of the messages are kept, without images and places for further messages.",
    ]);
    const lossesOf = (part: object) => {
      const text = JSON.stringify({ messages: [{ role: "user", content: [part] }] });
      return writeFormat("markdown", sourceOf("chat", { text })).warnings;
    };
    expect(lossesOf({ type: "text", text: "Hi" })).toEqual([]);
    expect(lossesOf({ type: "image_url", image_url: { url: "https://example.com" } })).toEqual(warnings);
  });
});

/** As a description has it: one line. */
const flat = (text: string) => text.replace(/\s+/g, " ").trim();
