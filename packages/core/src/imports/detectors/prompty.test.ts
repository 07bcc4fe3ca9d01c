import { expect, test } from "vitest";
import { promptIn, said, versionOf } from "../testing.ts";

const second = `---
name: plan
displayName: Plan a day
description: Plans a day
metadata:
  tags: [planning]
model:
  id: gpt-4
  provider: openai
  apiType: chat
  connection:
    kind: key
    endpoint: https://example.com
    apiKey: \${env:OPENAI_API_KEY}
  options:
    temperature: 0.7
    maxOutputTokens: 1000
    stopSequences: [END]
inputs:
  - name: who
    kind: string
    default: Jane
    description: For whom
  - name: hours
    kind: integer
  - name: conversation
    kind: thread
  - name: photo
    kind: image
---
system:
You plan for {{who}}.

{{conversation}}

# user[name="Ada"]:
{{hours}} hours, see {{photo}}
`;

test("a file of the second version is a chat, without the connection to its model", async () => {
  const draft = await promptIn("plan.prompty", second);
  expect(draft).toMatchObject({
    kind: "chat",
    name: "plan",
    title: "Plan a day",
    summary: "Plans a day",
    tags: ["planning"],
    warnings: ["photo was an image. Here it is text."],
  });
  expect(JSON.parse(draft.entry).messages).toEqual([
    { role: "system", content: "You plan for {{who}}." },
    { type: "placeholder", name: "conversation" },
    { role: "user", content: "{{hours}} hours, see {{photo}}" },
  ]);
  const { variables, config } = versionOf(draft);
  expect(variables).toMatchObject([
    { name: "who", type: "text", default: "Jane", description: "For whom" },
    { name: "hours", type: "number", required: true },
    { name: "photo", type: "text" },
  ]);
  expect(config).toEqual({ model: "gpt-4", temperature: 0.7, maxTokens: 1000, stop: ["END"] });
  expect(draft.entry).not.toContain("example.com");
});

const first = `---
name: Plan a day
description: Plans a day
authors: [Ada]
tags: [planning]
model:
  api: chat
  configuration:
    type: azure_openai
    azure_endpoint: \${env:ENDPOINT}
    azure_deployment: gpt-4
  parameters:
    max_tokens: 500
    top_p: 0.5
    tools: [{type: function, function: {name: look}}]
inputs:
  question:
    type: string
    sample: Why?
    required: false
sample:
  name: Jane
template: mustache
---
You help {{name}}.

user:
{{question}}
`;

test("a file of the first version keeps samples as examples, and tools in the form of OpenAI", async () => {
  const draft = await promptIn("plan.prompty", first);
  expect(draft).toMatchObject({ title: "Plan a day", tags: ["planning"], warnings: [] });
  const { variables, config } = versionOf(draft);
  expect(variables).toMatchObject([
    { name: "question", example: "Why?", required: false, default: null },
    { name: "name", example: "Jane", required: true },
  ]);
  expect(config).toEqual({ model: "gpt-4", maxTokens: 500, topP: 0.5 });
  expect(JSON.parse(draft.entry).tools).toEqual([{ type: "function", function: { name: "look" } }]);
  expect(said(draft, { name: "Ada", question: "How?" })).toEqual([
    { role: "system", text: "You help Ada." },
    { role: "user", text: "How?" },
  ]);
});

test("a completion is a text, and a conversation without a place comes last", async () => {
  const completion = await promptIn("a.prompty", "---\nmodel: {api: completion}\n---\nOnce user:\nupon");
  expect(said(completion)).toEqual([{ role: "user", text: "Once user:\nupon\n" }]);
  const open = await promptIn("a.prompty", "---\ninputs: [{name: talk, kind: thread}]\n---\nuser:\nHi");
  expect(JSON.parse(open.entry).messages.at(-1)).toEqual({ type: "placeholder", name: "talk" });
});

test.each([
  ["", "Hi {Ada}"],
  ["template: mustache\n", "Hi Ada"],
  ["template: {type: mustache}\n", "Hi Ada"],
  ["template: {format: mustache}\n", "Hi Ada"],
  ["template: {format: {kind: mustache}}\n", "Hi Ada"],
])("three braces are read as Jinja, or with %j as Mustache", async (template, text) => {
  const draft = await promptIn("a.b.prompty", `---\n${template}description: x\n---\nuser:\nHi {{{name}}}`);
  expect([draft.name, said(draft, { name: "Ada" })]).toEqual(["a.b", [{ role: "user", text: `${text}\n` }]]);
});

test("a line that goes on after the name of a role begins no message", async () => {
  const draft = await promptIn("a.prompty", "user:\nHi\nuser: Ada\n user :  \nBye");
  expect(said(draft).map(({ text }) => text)).toEqual(["Hi\nuser: Ada", "Bye"]);
});

test("values of an environment stay there", async () => {
  const draft = await promptIn("a.prompty", "---\nmodel: {id: '${env:MODEL}'}\n---\nuser:\nHi");
  expect(draft.warnings).toEqual(["These settings of the model are left out: model."]);
});
