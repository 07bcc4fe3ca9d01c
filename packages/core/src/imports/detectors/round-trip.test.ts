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
