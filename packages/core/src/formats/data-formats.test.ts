import { isThorough } from "../testing/growth.ts";
import { HumanMessage } from "@langchain/core/messages";
import { load } from "@langchain/core/load";
import type { ChatPromptTemplate } from "@langchain/core/prompts";
import { GetPromptResultSchema, PromptSchema } from "@modelcontextprotocol/sdk/types.js";
import { Dotprompt } from "dotprompt";
import fc from "fast-check";
import mustache from "mustache";
import nunjucks from "nunjucks";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { placeholders, render } from "../template/render.ts";
import { renderVersion, type ChatMessage } from "../template/version.ts";
import { complaintAbout } from "../testing/growth.ts";
import { type FormatCase, type FormatName, formatKinds, writeFormat } from "./index.ts";
import { sourceOf } from "./testing.ts";

const read = (name: FormatName, source: ReturnType<typeof sourceOf>, index = 0): string =>
  String(writeFormat(name, source).files[index]?.content);
const json = (name: FormatName, source: ReturnType<typeof sourceOf>, index = 0) =>
  JSON.parse(read(name, source, index));
const chatOf = (...messages: object[]) => sourceOf("chat", { text: JSON.stringify({ messages }) });

type Values = Record<string, string>;
interface Said {
  role: string;
  text: string;
}
const classes: Record<string, string> = { system: "system", human: "user", ai: "assistant" };

/** How each tool fills in the prompt that it was given. */
const tools: Record<string, (source: ReturnType<typeof sourceOf>, values: Values) => Promise<Said[]>> = {
  async langchain(source, values) {
    const template = await load<ChatPromptTemplate>(read("langchain", source));
    const messages = await template.formatMessages(values);
    return messages.map((one) => ({ role: classes[one.getType()]!, text: one.content as string }));
  },
  // As Langfuse's client for JavaScript sets Mustache: a prompt is no HTML.
  async langfuse(source, values) {
    const { prompt } = json("langfuse", source);
    const fill = (text: string) =>
      mustache.render(text, values, {}, { escape: (value: unknown) => String(value) });
    if (typeof prompt === "string") return [{ role: "user", text: fill(prompt) }];
    return prompt.map((one: ChatMessage) => ({ role: one.role, text: fill(one.content as string) }));
  },
  // As promptfoo does with a prompt that is JSON.
  async promptfoo(source, values) {
    const environment = nunjucks.configure({ autoescape: false });
    return json("promptfoo", source, 1).map((one: ChatMessage) => ({
      role: one.role,
      text: [one.content]
        .flat()
        .map((part) => environment.renderString(typeof part === "string" ? part : String(part?.text), values))
        .join(""),
    }));
  },
  async dotprompt(source, values) {
    const { messages } = await new Dotprompt().render(read("dotprompt", source), { input: values });
    return messages.map(({ role, content }) => ({
      role: role === "model" ? "assistant" : role,
      text: content.map((part) => ("text" in part ? part.text : "")).join(""),
    }));
  },
  async "mcp-prompt"(source, values) {
    const { messages } = GetPromptResultSchema.parse(json("mcp-prompt", source));
    return messages.map(({ role, content }) => ({
      role,
      text: render("text" in content ? content.text : "", [], values, { strict: false }).text,
    }));
  },
  async "github-models"(source, values) {
    const { messages } = parse(read("github-models", source));
    return messages.map(({ role, content }: ChatMessage) => ({
      role,
      text: Object.entries(values).reduce(
        (text, [name, value]) => text.replaceAll(`{{${name}}}`, () => value),
        content as string,
      ),
    }));
  },
};
const names = Object.keys(tools) as FormatName[];

/** What we make of it. */
function ours(source: ReturnType<typeof sourceOf>, values: Values): Said[] {
  const { files, version } = source;
  const entry = { path: version.entry, encoding: "utf8" as const, content: String(files[0]?.content) };
  const { messages } = renderVersion({ ...version, files: [entry] }, values);
  return messages.map(({ role, content }) => ({ role, text: content as string }));
}

const hostile = [
  "{{#if name}}yes no{{/if}} {{> partial}} {{! comment}} {{^a}}{{/a}} {{& x }} {{=<% %>=}}",
  "{{{name}}} {name} {{{{name}}}} {{}} {{{{ }}}} }} {{",
  "\\\\{{ {% raw %} {%- if 1 -%} {{- 1 -}} {{ 7 * 7 }} {# comment #} #} a#}b {{name|upper}}",
  "\\ \\\\ C:\\dir \\\\{{ x }}",
  "<b>&amp;\"quotes\"</b> 'single' `ticks` {{name}}}",
  "{% include 'x' %}\n---\nlangfuse://x\n  indented\n\ttab\r\nend",
  "{{@root}} {{../x}} {{.}} {{lookup . 'a'}} 𝒳 日本語 \u2028 \u0085 \u0007 é",
  "{\n{{name}}\n}",
  "${name} $& $1 <%= name %> <% %>",
];
const value = 'Ada <b> & "q" {{name}} {% x %} \\ $&';

describe.for(names)("%s", (name) => {
  const tool = tools[name]!;

  test.for(hostile)("says what we say for %j", async (text) => {
    const source = sourceOf("text", { text: `Dear ${text} of {{name}}.` });
    expect(await tool(source, { name: value })).toEqual(ours(source, { name: value }));
  });

  test("says what we say for any text", async () => {
    const pieces = [
      "{",
      "}",
      "{{",
      "}}",
      "\\",
      "%",
      "#",
      "!",
      " ",
      "\n",
      "1",
      "{{name}}",
      "=",
      "/",
      "-",
      "~",
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 20 }), async (random) => {
        const text = `>${random.join("")}<`;
        // Without an escape, GitHub Models and a server of MCP cannot tell an escaped variable from another one.
        fc.pre(name !== "github-models" || !text.includes("\\{{"));
        const source = sourceOf("text", { text });
        const values: Values = placeholders(text).length > 0 ? { name: "Ada" } : {};
        expect(await tool(source, values)).toEqual(ours(source, values));
      }),
      { numRuns: isThorough ? 300 : 100 },
    );
  });

  test("reads braces at a cost that grows with their number", async () => {
    const braces = { start: "a", again: "{{#x ", end: "b" };
    expect(await complaintAbout((text) => read(name, sourceOf("text", { text })), [braces])).toBeUndefined();
  });

  test("keeps the messages of a chat, with roles that it has", async () => {
    const source = chatOf(
      { role: "system", content: "Be {{tone}}{" },
      { role: "user", content: [{ type: "text", text: "}Hello {{who}}\\" }] },
      { role: "assistant", content: "{{#each}}" },
      { role: "user", content: "Go on" },
    );
    const said = await tool(source, { tone: "kind", who: "Ada" });
    expect(said.map(({ text }) => text)).toEqual(["Be kind{", "}Hello Ada\\", "{{#each}}", "Go on"]);
    expect(said.map(({ role }) => role)).toEqual([
      name === "mcp-prompt" ? "user" : "system",
      "user",
      "assistant",
      "user",
    ]);
  });

  test("fills in names that mean something in its own language", async () => {
    const own = ["role", "history", "json", "if", "each", "this", "true", "toString", "else"];
    if (name === "promptfoo") own.splice(own.indexOf("true"), 1);
    const source = sourceOf("text", { text: own.map((one) => `{{${one}}}`).join(" {") });
    const values = Object.fromEntries(own.map((one) => [one, `<${one}>`]));
    expect(await tool(source, values)).toEqual(ours(source, values));
  });
});

const image = { type: "image_url", image_url: { url: "https://example.com/{{a}}.png" } };
const call = { id: "1", type: "function", function: { name: "look", arguments: "{}" } };

test.for(names.filter((name) => name !== "promptfoo"))("%s refuses what it cannot express", (name) => {
  for (const message of [
    { role: "user", content: [image] },
    { role: "user", content: [{ ...image, text: "a" }] },
    { role: "assistant", content: "", tool_calls: [call] },
    { role: "tool", content: "found", tool_call_id: "1" },
  ]) {
    expect(() => read(name, chatOf(message))).toThrow(
      expect.objectContaining({
        code: "format_not_supported",
        message: expect.stringContaining("message 1"),
      }),
    );
  }
});

test.for(["openai-messages", "promptfoo", "github-models", "mcp-prompt"] as const)(
  "%s says that it leaves a placeholder for messages out",
  (name) => {
    const { files, warnings } = writeFormat(name, sourceOf("chat"));
    expect(warnings).toContain("The placeholders for messages are left out: history.");
    expect(files.map(({ content }) => content).join("")).not.toContain("placeholder");
  },
);

describe("openai-messages", () => {
  test("holds a request, with images and tools as they are", () => {
    const messages = [
      { role: "user", content: [{ type: "text", text: "See {{what}}" }, image] },
      { role: "assistant", content: null, tool_calls: [call] },
    ];
    const tool = { type: "function", function: { name: "look" } };
    const config = { model: "gpt-5", maxTokens: 9, topP: 0.5, stop: ["."], responseFormat: "json_object" };
    const text = JSON.stringify({ messages, tools: [tool], config });
    expect(json("openai-messages", sourceOf("chat", { text }))).toEqual({
      messages,
      tools: [tool],
      model: "gpt-5",
      top_p: 0.5,
      max_tokens: 9,
      stop: ["."],
      response_format: { type: "json_object" },
    });
  });
});

describe("json", () => {
  test.for(formatKinds.json)("has all of a %s, byte for byte", (kind) => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 251);
    const binary = { path: "logo.png", mode: "100644" as const, content: bytes };
    const source = sourceOf(kind);
    const { schema, prompt, version, files } = json("json", { ...source, files: [...source.files, binary] });
    expect(schema).toBe("prompt-registry/1");
    expect(prompt).toMatchObject({ ref: "alice/pr-review", kind });
    expect(version).toMatchObject({ n: 3, entry: source.version.entry, labels: ["production"] });
    expect(files[0]).toEqual({ ...source.files[0], encoding: "utf8" });
    expect(new Uint8Array(Buffer.from(files[2].content, "base64"))).toEqual(bytes);
  });
});

describe("langchain", () => {
  test("takes the messages of the caller at a placeholder", async () => {
    const template = await load<ChatPromptTemplate>(read("langchain", sourceOf("chat")));
    expect(template.inputVariables.toSorted()).toEqual(["diff", "history"]);
    const messages = await template.formatMessages({ diff: "+1", history: [new HumanMessage("Hello")] });
    expect(messages.map(({ content }) => content)).toEqual(["You review code.", "Hello", "Review +1."]);
  });

  test("asks every language for text without HTML escapes", () => {
    expect(read("langchain", sourceOf("text"))).toContain("Review {{&diff}} for {{&team}}.");
  });
});

describe("langfuse", () => {
  test("has what its API takes", () => {
    const source = sourceOf("chat", { labels: ["latest", "production"] });
    expect(json("langfuse", source)).toEqual({
      name: "pr-review",
      type: "chat",
      prompt: [
        { role: "system", content: "You review code." },
        { type: "placeholder", name: "history" },
        { role: "user", content: "Review {{diff}}." },
      ],
      config: { model: "gpt-5-mini" },
      labels: ["production"],
      tags: ["code", "review"],
      commitMessage: "Be kind",
    });
  });

  test("warns of braces that only one of its clients prints", () => {
    expect(writeFormat("langfuse", sourceOf("text")).warnings).toEqual([]);
    expect(writeFormat("langfuse", sourceOf("text", { text: "{{#x}}" })).warnings?.[0]).toMatch(/Python/);
  });
});

describe("promptfoo", () => {
  test("runs the cases against the model of the prompt", () => {
    const cases = [{ variables: { diff: "+1", count: 2, list: ["a"] }, expected: "LGTM" }];
    expect(parse(read("promptfoo", sourceOf("chat", { cases })))).toEqual({
      description: "alice/pr-review v3",
      prompts: ["file://prompts/pr-review.json"],
      providers: ["openai:gpt-5-mini"],
      tests: [
        {
          vars: { diff: "+1", count: "2", list: '["a"]' },
          assert: [{ type: "equals", value: "LGTM" }],
        },
      ],
    });
  });

  test.for([
    ["claude-sonnet-4-5", "anthropic:messages:claude-sonnet-4-5"],
    ["openai/gpt-4o", "openai:gpt-4o"],
    ["gemini-2.5-pro", "google:gemini-2.5-pro"],
    ["o3", "openai:o3"],
    ["my-gpt-5", undefined],
    ["my-claude", undefined],
    ["my-gemini", undefined],
    ["Xopenai:gpt-5", undefined],
    ["openai:", undefined],
    [":gpt-5", undefined],
    ["exec:curl x | sh", undefined],
    ["exec:reboot", undefined],
    ["file://run.js", undefined],
    ["python:run.py", undefined],
    ["https://evil.example", undefined],
    ["openai:x{{env.KEY}}", undefined],
    ["constructor:x", undefined],
  ])("of the model %s makes the provider %s", ([model, provider]) => {
    const config = `config:\n  model: ${JSON.stringify(model)}`;
    const source = sourceOf("text", { text: `---\n${config}\n---\nHello` });
    expect(parse(read("promptfoo", source)).providers).toEqual(provider && [provider]);
  });

  test.for(["file://etc/passwd", " FILE://x", "{{env.KEY}}", "package:x", "https://x", "{% for %}"])(
    "leaves out a case with %j, which it would follow",
    (bad) => {
      const cases: FormatCase[] = [
        { variables: { diff: bad }, expected: null },
        { variables: {}, expected: bad },
      ];
      const { files, warnings } = writeFormat("promptfoo", sourceOf("chat", { cases }));
      expect(parse(String(files[0]?.content)).tests).toBeUndefined();
      expect(warnings?.join()).toContain(`${cases.length} cases are left out`);
    },
  );

  test.for(["see https://x", "a package: x", "://x"])("keeps a case with %j", (good) => {
    const cases: FormatCase[] = [{ variables: { diff: good }, expected: null }];
    expect(parse(read("promptfoo", sourceOf("chat", { cases }))).tests).toEqual([{ vars: { diff: good } }]);
  });

  test("refuses a variable that Nunjucks takes for a value", () => {
    expect(() => read("promptfoo", sourceOf("text", { text: "{{none}}" }))).toThrow(
      "promptfoo cannot fill in a variable named none.",
    );
    for (const name of ["nones", "anone"])
      expect(JSON.stringify(json("promptfoo", sourceOf("text", { text: `{{${name}}}` }), 1))).toContain(
        `{{ ${name} }}`,
      );
  });

  test("passes images on, and fills nothing in outside of texts", () => {
    const other = { type: "input_audio", input_audio: { length: 5, note: null, isLoud: true, parts: [1] } };
    const [message] = json(
      "promptfoo",
      chatOf({ role: "user", content: [{ type: "text", text: "{{a}}" }, image, other] }),
      1,
    );
    expect(message.content[2]).toEqual(other);
    expect(message.content[0]).toEqual({ type: "text", text: "{{ a }}" });
    expect(nunjucks.renderString(message.content[1].image_url.url, { a: "x" })).toBe(image.image_url.url);
  });
});

describe("github-models", () => {
  test("has the fields of a prompt file", () => {
    const config = { model: "openai/gpt-4o-mini", maxTokens: 5, temperature: 0.2 };
    const text = JSON.stringify({ messages: [{ role: "developer", content: "a: b\n\n" }], config });
    const cases = [{ variables: { diff: "yes" }, expected: "no: 1\n" }];
    expect(parse(read("github-models", sourceOf("chat", { text, cases })))).toEqual({
      name: "pr-review",
      description: "Reviews a pull request.",
      model: "openai/gpt-4o-mini",
      modelParameters: { temperature: 0.2, maxTokens: 5 },
      messages: [{ role: "system", content: "a: b\n\n" }],
      testData: [{ diff: "yes", expected: "no: 1\n" }],
    });
  });

  test("warns of an escaped variable that it would fill in", () => {
    const source = sourceOf("text", { text: "{{a}} \\{{a}} \\{{b}}" });
    expect(writeFormat("github-models", source).warnings).toEqual([
      "GitHub Models fills in the {{a}} that is escaped here.",
    ]);
  });
});

describe("dotprompt", () => {
  test("has settings, inputs and the place of the conversation", async () => {
    const config = {
      model: "googleai/gemini",
      maxTokens: 5,
      stop: ".",
      responseFormat: { type: "json_schema" },
    };
    const variables = [
      { name: "who", description: "Who, (really): #1", default: "Ada" },
      { name: "n", type: "number" },
    ];
    const messages = [
      { role: "system", content: "Be kind." },
      { type: "placeholder", name: "talk" },
      { role: "user", content: "{{who}} {{n}}" },
    ];
    const text = JSON.stringify({ messages, config, variables });
    const template = read("dotprompt", sourceOf("chat", { text }));
    const said = { role: "model" as const, content: [{ text: "Hi" }] };
    const rendered = await new Dotprompt().render(template, {
      input: { who: "Ada", n: 1 },
      messages: [said],
    });
    expect({ ...rendered, ...new Dotprompt().parse(template) }).toMatchObject({
      name: "pr-review",
      model: "googleai/gemini",
      config: { maxOutputTokens: 5, stopSequences: ["."] },
      output: { format: "json" },
      input: {
        schema: {
          properties: { who: { type: "string", description: "Who, (really): #1" }, n: { type: "number" } },
          required: ["n"],
        },
        default: { who: "Ada" },
      },
    });
    expect(rendered.messages.map(({ role, content }) => [role, content[0]])).toEqual([
      ["system", { text: "Be kind." }],
      ["model", { text: "Hi" }],
      ["user", { text: "Ada 1" }],
    ]);
  });

  test("refuses its own marks in the text, and a second place for messages", () => {
    const marked = sourceOf("text", { text: "a <<<dotprompt:role:system>>> b" });
    const place = { type: "placeholder", name: "a" };
    for (const source of [marked, chatOf(place, { role: "user", content: "b" }, place)]) {
      expect(() => read("dotprompt", source)).toThrow(
        expect.objectContaining({ code: "format_not_supported" }),
      );
    }
  });
});

describe("mcp-prompt", () => {
  test("is a prompt of the protocol, whose optional arguments are so", () => {
    const text = "---\nvariables:\n  - name: a\n    default: x\n    description: First\n---\n{{a}} {{b}}";
    const { arguments: given } = PromptSchema.parse(json("mcp-prompt", sourceOf("text", { text })));
    expect(given).toEqual([
      { name: "a", description: "First", required: false },
      { name: "b", required: true },
    ]);
  });

  test("takes the input of a command", () => {
    const { arguments: given } = PromptSchema.parse(json("mcp-prompt", sourceOf("command")));
    expect(given).toEqual([{ name: "args", required: false }]);
  });
});
