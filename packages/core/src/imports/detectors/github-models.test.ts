import { expect, test } from "vitest";
import { promptIn, promptsIn, versionOf } from "../testing.ts";

const file = `name: Summarise
description: Summarises a text
model: openai/gpt-4o-mini
modelParameters:
  temperature: 0.5
  maxTokens: 100
responseFormat: json_schema
jsonSchema: '{"name": "answer", "schema": {"type": "object"}}'
messages:
  - role: system
    content: You summarise.
  - role: user
    content: |
      Summarise this:
      <text>
      {{input}}
      </text>
testData:
  - input: A long text
    expected: short
evaluators:
  - name: Is short
    string: {contains: short}
`;

test("a prompt file is a chat, with its settings and without its tests", async () => {
  const draft = await promptIn("prompts/sum.prompt.yml", file);
  expect(draft).toMatchObject({
    kind: "chat",
    name: "sum",
    title: "Summarise",
    summary: "Summarises a text",
    warnings: [
      "testData is left out. Cases belong to a dataset.",
      "evaluators is left out. Cases belong to a dataset.",
    ],
  });
  const { config, variables } = versionOf(draft);
  expect(variables.map(({ name }) => name)).toEqual(["input"]);
  expect(config).toEqual({
    model: "openai/gpt-4o-mini",
    temperature: 0.5,
    maxTokens: 100,
    responseFormat: { type: "json_schema", json_schema: { name: "answer", schema: { type: "object" } } },
  });
});

test("a schema counts only where answers are to have one", async () => {
  const other = file.replace("responseFormat: json_schema", "responseFormat: json_object");
  expect(versionOf(await promptIn("a.prompt.yml", other)).config).toMatchObject({
    responseFormat: "json_object",
  });
});

test("a file without messages is none, and a broken one is refused", async () => {
  expect(await promptsIn("a.prompt.yaml", "name: x")).toEqual([]);
  await expect(promptIn("a.prompt.yaml", "messages: [1]")).rejects.toThrow(
    "Its messages are no list of roles and contents.",
  );
  await expect(promptIn("a.prompt.yaml", "messages:\n  - {role: bot, content: x}")).rejects.toThrow(
    'Message 1 has the role "bot", which no message here can have.',
  );
  await expect(promptIn("a.prompt.yaml", "a: b: c")).rejects.toThrow(/^The file is not valid YAML on line 1/);
});
