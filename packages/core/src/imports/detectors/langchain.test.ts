import { AIMessage, SystemMessage } from "@langchain/core/messages";
import {
  AIMessagePromptTemplate,
  ChatMessagePromptTemplate,
  ChatPromptTemplate,
  FewShotPromptTemplate,
  HumanMessagePromptTemplate,
  MessagesPlaceholder,
  PromptTemplate,
  SystemMessagePromptTemplate,
} from "@langchain/core/prompts";
import { expect, test } from "vitest";
import { promptIn, promptsIn, said, versionOf } from "../testing.ts";

const read = (template: object) => promptIn("review.json", JSON.stringify(template));

test("a template that LangChain writes is a text", async () => {
  const template = PromptTemplate.fromTemplate("Review {diff}, as {{JSON}}.");
  const draft = await read(template);
  expect(draft).toMatchObject({ kind: "text", name: "review", title: "review", warnings: [] });
  const theirs = await template.format({ diff: "+1" });
  expect(said(draft, { diff: "+1" })).toEqual([{ role: "user", text: `${theirs}\n` }]);
});

test("a template that an old version saved is a text as well", async () => {
  const saved = {
    _type: "prompt",
    input_variables: ["q"],
    template: "Answer {q}.",
    template_format: "f-string",
  };
  const draft = await read(saved);
  expect(said(draft, { q: "why" })).toEqual([{ role: "user", text: "Answer why.\n" }]);
  expect((await read({ ...saved, _type: undefined })).entry).toBe(draft.entry);
  await expect(promptsIn("a.json", JSON.stringify({ ...saved, _type: "few_shot" }))).rejects.toThrow(
    "LangChain's few_shot cannot be read as a prompt.",
  );
});

test("what a template is filled with already, which LangChain writes in Python alone, are defaults", async () => {
  const template = JSON.parse(JSON.stringify(PromptTemplate.fromTemplate("{diff} for {team}, {n}, {all}")));
  template.kwargs.partial_variables = { team: "Core", n: 3, all: { a: 1 } };
  expect(versionOf(await read(template)).variables).toMatchObject([
    { name: "team", default: "Core" },
    { name: "n", default: 3 },
    { name: "all", type: "json", default: { a: 1 } },
    { name: "diff", required: true, default: null },
  ]);
});

test("a chat keeps its roles, the places of the caller's messages, and braces in what is no template", async () => {
  const template = ChatPromptTemplate.fromMessages([
    new SystemMessage('Answer as {"a": {{1}}}.'),
    SystemMessagePromptTemplate.fromTemplate("You are {who}."),
    new MessagesPlaceholder("history"),
    HumanMessagePromptTemplate.fromTemplate("{question}"),
    AIMessagePromptTemplate.fromTemplate("I see."),
    new ChatMessagePromptTemplate(PromptTemplate.fromTemplate("Go {on}"), "user"),
    new AIMessage("Well."),
  ]);
  const values = { who: "Ada", question: "Why?", on: "on" };
  const draft = await read(template);
  expect(draft.kind).toBe("chat");
  expect(JSON.parse(draft.entry).messages[2]).toEqual({ type: "placeholder", name: "history" });
  const messages = await template.formatMessages({ ...values, history: [] });
  expect(said(draft, values).map(({ text }) => text)).toEqual(messages.map(({ content }) => content));
  expect(said(draft).map(({ role }) => role)).toEqual([
    "system",
    "system",
    "user",
    "assistant",
    "user",
    "assistant",
  ]);
});

test.for([
  ["mustache", "Dear {{name}}, {literally}."],
  ["f-string", "Dear {name}, {{literally}}."],
] as const)("a template of the format %s", async ([templateFormat, text]) => {
  const template = new PromptTemplate({ template: text, templateFormat, inputVariables: ["name"] });
  expect(said(await read(template), { name: "Ada" })).toEqual([
    { role: "user", text: "Dear Ada, {literally}.\n" },
  ]);
});

test("Jinja, which LangChain has for Python alone", async () => {
  const template = JSON.parse(JSON.stringify(PromptTemplate.fromTemplate("Dear {{ name }}")));
  template.kwargs.template = "Dear {{ name }}";
  template.kwargs.template_format = "jinja2";
  expect(said(await read(template), { name: "Ada" })).toEqual([{ role: "user", text: "Dear Ada\n" }]);
});

test("a message of texts and images", async () => {
  const template = ChatPromptTemplate.fromMessages([
    [
      "user",
      [
        { type: "text", text: "See {what}" },
        { type: "image_url", image_url: "https://example.com/a.png" },
      ],
    ],
  ]);
  const { messages } = JSON.parse((await read(template)).entry);
  expect(messages[0].content).toEqual([
    { type: "text", text: "See {{what}}" },
    { type: "image_url", image_url: { url: "https://example.com/a.png" } },
  ]);
});

/** A part of a chat, as LangChain serialises it. */
const part = (name: string, kwargs: object) => ({ id: ["langchain_core", name], kwargs });
const chat = (...messages: unknown[]) => ({ lc: 1, ...part("ChatPromptTemplate", { messages }) });
const parts = (...prompt: unknown[]) => chat(part("HumanMessagePromptTemplate", { prompt }));

test("a message of parts as Python writes them", async () => {
  const file = { type: "file", file: { file_id: "1" } };
  const draft = await read(
    parts(part("PromptTemplate", { template: "See {what}" }), part("DictPromptTemplate", { template: file })),
  );
  expect(JSON.parse(draft.entry).messages[0].content).toEqual([{ type: "text", text: "See {{what}}" }, file]);
});

test.each<[object, string]>([
  [{ lc: 1, ...part("ChatPromptTemplate", {}) }, "It has no messages."],
  [chat({}), "Message 1 has the role undefined"],
  [chat(part("OldHumanMessage", { content: "x" })), "Message 1 has the role undefined"],
  [
    chat(part("HumanMessagePromptTemplate", { prompt: part("PromptTemplate", {}) })),
    "template without a text",
  ],
  [parts(part("DictPromptTemplate", { template: {} })), "DictPromptTemplate cannot be read as a part of a"],
  [parts(part("OtherTemplate", { template: { type: "x" } })), "OtherTemplate cannot be read as a part of a"],
  [
    { lc: 1, ...part("PromptTemplate", { template: "x", template_format: "erb" }) },
    'Its templates have the unknown format "erb".',
  ],
])("%j is refused", async (file, problem) => {
  await expect(read(file)).rejects.toThrow(problem);
});

test("a prompt of LangSmith before its model, under the name that it has there", async () => {
  const prompt = JSON.parse(JSON.stringify(PromptTemplate.fromTemplate("Hello")));
  prompt.kwargs.metadata = { lc_hub_owner: "alice", lc_hub_repo: "greeting" };
  const model = {
    lc: 1,
    type: "constructor",
    id: ["langchain", "chat_models", "openai", "ChatOpenAI"],
    kwargs: { model_name: "gpt-5", temperature: 0.5 },
  };
  const last = {
    lc: 1,
    type: "constructor",
    id: ["langchain", "schema", "runnable", "RunnableBinding"],
    kwargs: { bound: model },
  };
  const sequence = {
    lc: 1,
    type: "constructor",
    id: ["langchain", "schema", "runnable", "RunnableSequence"],
    kwargs: { first: prompt, last },
  };
  for (const file of [sequence, { commit_hash: "8c11", manifest: sequence, examples: [] }]) {
    const draft = await read(file);
    expect(draft.name).toBe("greeting");
    expect(versionOf(draft).config).toEqual({ model: "gpt-5", temperature: 0.5 });
  }
});

test("what is no prompt of messages is refused by its name", async () => {
  const shots = new FewShotPromptTemplate({
    examples: [],
    examplePrompt: PromptTemplate.fromTemplate("{a}"),
    suffix: "{b}",
    inputVariables: ["b"],
  });
  const file = {
    ...JSON.parse(JSON.stringify(shots)),
    id: ["langchain_core", "prompts", "few_shot", "FewShotPromptTemplate"],
  };
  await expect(read(file)).rejects.toThrow("LangChain's FewShotPromptTemplate cannot be read as a prompt.");
  expect(await promptsIn("a.json", '{"lc": 1}')).toEqual([]);
});
