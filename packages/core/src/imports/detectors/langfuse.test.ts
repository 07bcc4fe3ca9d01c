import { expect, test } from "vitest";
import { promptIn, promptsIn, said, versionOf } from "../testing.ts";

const critic = {
  id: "cm1",
  name: "movie-critic",
  type: "text",
  prompt: "As a {{criticLevel}} critic, do you like {{movie}}?",
  config: { model: "gpt-4o", temperature: 0.5, max_tokens: 9, languages: ["en"] },
  version: 1,
  labels: ["production", "staging", "latest"],
  tags: ["movies"],
};
const chat = {
  name: "talk",
  type: "chat",
  prompt: [
    { type: "chatmessage", role: "system", content: "You know {{topic}}." },
    { type: "placeholder", name: "history" },
    { role: "user", content: "Go on." },
  ],
  version: 3,
  labels: [],
  tags: [],
  config: null,
};

test("a text keeps its settings and tags, and says which labels point to it", async () => {
  const draft = await promptIn("critic.json", JSON.stringify(critic));
  expect(draft).toMatchObject({
    kind: "text",
    part: null,
    name: "movie-critic",
    tags: ["movies"],
    warnings: ["In Langfuse these labels point to version 1: production, staging."],
  });
  expect(versionOf(draft).config).toEqual({
    model: "gpt-4o",
    temperature: 0.5,
    maxTokens: 9,
    languages: ["en"],
  });
  expect(said(draft, { criticLevel: "mild", movie: "Up" })).toEqual([
    { role: "user", text: "As a mild critic, do you like Up?\n" },
  ]);
});

test("a chat keeps the places of the caller's messages", async () => {
  const draft = await promptIn("talk.json", JSON.stringify(chat));
  expect(JSON.parse(draft.entry).messages).toEqual([
    { role: "system", content: "You know {{topic}}." },
    { type: "placeholder", name: "history" },
    { role: "user", content: "Go on." },
  ]);
});

test("a place for messages has a name that ours may have", async () => {
  const draft = await promptIn(
    "talk.json",
    JSON.stringify({
      name: "a",
      prompt: [
        { type: "placeholder", name: "chat-history" },
        { role: "user", content: "Hi" },
      ],
    }),
  );
  expect(JSON.parse(draft.entry).messages[0]).toEqual({ type: "placeholder", name: "chat_history" });
  expect(draft.warnings).toEqual(["The place for messages chat-history is named chat_history here."]);
});

test("several prompts have their names and versions, and a bad one is refused alone", async () => {
  const bad = { ...chat, version: 4, prompt: [{ role: "robot", content: "x" }] };
  for (const list of [[critic, chat, bad], { data: [critic, chat, bad], meta: {} }]) {
    expect(await promptsIn("all.json", JSON.stringify(list))).toMatchObject([
      { part: "movie-critic v1" },
      { part: "talk v3" },
      'talk v4: Message 1 has the role "robot", which no message here can have.',
    ]);
  }
});

test("references to other prompts stay, with a warning", async () => {
  const prompt = { name: "a", prompt: "@@@langfusePrompt:name=b|label=production@@@ Hi" };
  const draft = await promptIn("a.json", JSON.stringify(prompt));
  expect(draft.warnings).toEqual([
    "It includes other prompts of Langfuse by @@@langfusePrompt. They stay as they are written.",
  ]);
});

test.for([
  '{"name": "pkg", "prompt": 1}',
  '{"name": "smoke", "prompt": "Do it", "expectedFiles": ["a"]}',
  '{"prompt": "Hi"}',
  '{"name": "x", "scripts": {"prompt": "a"}}',
  '[{"name": "a", "prompt": "b"}, 1]',
])("%s is no prompt", async (text) => expect(await promptsIn("package.json", text)).toEqual([]));
