import { load } from "@langchain/core/load";
import type { ChatPromptTemplate } from "@langchain/core/prompts";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { type FormatName, writeFormat } from "./index.ts";
import { sourceOf } from "./testing.ts";

const read = (name: FormatName, source: ReturnType<typeof sourceOf>): string =>
  String(writeFormat(name, source).files[0]?.content);

const settled = sourceOf("text", {
  text: "---\nvariables:\n  - { name: tone, default: calm }\n  - { name: n, type: number, default: 2 }\nconfig: { model: gpt-4o, temperature: 0.5, maxTokens: 9, stop: [x], seed: 7 }\n---\n{{tone}} {{n}} {{who}}",
});

test.for([
  ["openai-messages", ["tone", "n"], ["seed"]],
  ["langfuse", ["tone", "n"], []],
  ["mcp-prompt", ["tone", "n"], ["model", "temperature", "maxTokens", "stop", "seed"]],
  ["github-models", ["tone", "n"], ["stop", "seed"]],
  ["markdown", ["tone", "n"], []],
  ["langchain", [], ["model", "temperature", "maxTokens", "stop", "seed"]],
  ["dotprompt", [], ["seed"]],
  ["promptfoo", [], ["stop", "seed"]],
] as const)("%s says which defaults and settings it has no place for", ([name, defaults, settings]) => {
  const { warnings = [] } = writeFormat(name, settled);
  expect(warnings.filter((one) => /default|settings/.test(one))).toEqual([
    ...(defaults.length === 0
      ? []
      : [expect.stringContaining(`Give the values of ${defaults.join(", ")} yourself.`)]),
    ...(settings.length === 0
      ? []
      : [expect.stringContaining(`has no place for these settings: ${settings.join(", ")}.`)]),
  ]);
});

test("langchain fills in the default of a variable, unless the caller gives a value", async () => {
  const template = await load<ChatPromptTemplate>(read("langchain", settled));
  expect(template.inputVariables).toEqual(["who"]);
  const said = async (values: Record<string, string>) =>
    (await template.formatMessages(values)).map(({ content }) => content);
  expect(await said({ who: "Ada" })).toEqual(["calm 2 Ada"]);
  expect(await said({ who: "Ada", tone: "brief" })).toEqual(["brief 2 Ada"]);
});

test("promptfoo has the settings of the model and the defaults of variables", () => {
  const { providers, defaultTest } = parse(read("promptfoo", settled));
  expect(providers).toEqual([{ id: "openai:gpt-4o", config: { temperature: 0.5, max_tokens: 9 } }]);
  expect(defaultTest).toEqual({ vars: { tone: "calm", n: "2" } });
  const google = "---\nconfig: { model: gemini-2.5-pro, topP: 1, maxTokens: 9 }\n---\nHello";
  expect(parse(read("promptfoo", sourceOf("text", { text: google }))).providers).toEqual([
    { id: "google:gemini-2.5-pro", config: { topP: 1, maxOutputTokens: 9 } },
  ]);
});

test("promptfoo leaves out a default that it would follow", () => {
  const text = "---\nvariables:\n  - { name: a, default: 'file:///etc/passwd' }\n---\n{{a}}";
  const { files, warnings } = writeFormat("promptfoo", sourceOf("text", { text }));
  expect(String(files[0]?.content)).not.toContain("passwd");
  expect(warnings?.join()).toContain("1 defaults of variables are left out");
});

test.for([
  ["json_object", { responseFormat: "json_object" }],
  [{ type: "text" }, { responseFormat: "text" }],
  [
    { type: "json_schema", json_schema: { name: "a", schema: {} } },
    { responseFormat: "json_schema", jsonSchema: '{"name":"a","schema":{}}' },
  ],
  ["xml", {}],
  [{ type: "json_schema", json_schema: { schema: {} } }, {}],
] as const)(
  "github-models has the format of responses %j, if GitHub Models reads it",
  ([responseFormat, expected]) => {
    const text = JSON.stringify({ messages: [{ role: "user", content: "a" }], config: { responseFormat } });
    const { files, warnings } = writeFormat("github-models", sourceOf("chat", { text }));
    const { responseFormat: format, jsonSchema } = parse(String(files[0]?.content));
    expect(JSON.parse(JSON.stringify({ responseFormat: format, jsonSchema }))).toEqual(expected);
    expect(warnings).toHaveLength(Object.keys(expected).length === 0 ? 1 : 0);
  },
);
