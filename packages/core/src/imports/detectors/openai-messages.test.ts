import { expect, test } from "vitest";
import { promptIn, promptsIn, said, versionOf } from "../testing.ts";

const messages = [
  { role: "developer", content: "Be {{tone}}." },
  {
    role: "user",
    content: [
      { type: "text", text: "See {{what}}" },
      { type: "image_url", image_url: { url: "https://example.com/a.png" } },
    ],
  },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "1", type: "function", function: { name: "look", arguments: "{}" } }],
  },
  { role: "tool", content: "found", tool_call_id: "1" },
];
const tools = [{ type: "function", function: { name: "look" } }];

test("a request keeps messages, tools and settings, and says what it loses", async () => {
  const request = {
    messages,
    tools,
    model: "gpt-5",
    top_p: 0.5,
    max_completion_tokens: 9,
    seed: 1,
    stream: true,
    user: "ada",
  };
  const draft = await promptIn("ask.json", JSON.stringify(request));
  expect(draft).toMatchObject({
    kind: "chat",
    name: "ask",
    warnings: ["These parts of the request are left out: stream, user."],
  });
  expect(JSON.parse(draft.entry)).toMatchObject({ messages, tools });
  expect(versionOf(draft).config).toEqual({ model: "gpt-5", topP: 0.5, maxTokens: 9, seed: 1 });
});

test("a list of messages alone, and one message of a user", async () => {
  expect((await promptIn("a.json", JSON.stringify(messages))).kind).toBe("chat");
  const one = await promptIn("a.json", '[{"role": "user", "content": "---\\nHello"}]');
  expect(one.kind).toBe("text");
  expect(said(one)).toEqual([{ role: "user", text: "\n---\nHello\n" }]);
});

test("a prompt stands on each line, and a bad line is refused alone", async () => {
  const line = (text: string) => JSON.stringify({ messages: [{ role: "user", content: text }] });
  const batch = JSON.stringify({
    custom_id: "a",
    method: "POST",
    body: { model: "gpt-5", messages: [{ role: "user", content: "c" }] },
  });
  const bad = JSON.stringify({ messages: [{ role: "robot", content: "x" }] });
  const found = await promptsIn("train.jsonl", [line("a"), "", "{}", bad, batch, line("d")].join("\r\n"));
  expect(found).toMatchObject([
    { part: "line 1", name: "train 1" },
    "line 3: It has no messages.",
    'line 4: Message 1 has the role "robot", which no message here can have.',
    { part: "line 5" },
    { part: "line 6" },
  ]);
});

test.for([
  "{}",
  "[]",
  "[1]",
  '{"messages": {"role": "user"}}',
  '{"role": "admin", "messages": []}',
  "not JSON",
  '[{"role": 1}]',
])("%s holds no messages", async (text) => {
  expect(await promptsIn("package.json", text)).toEqual([]);
  expect(await promptsIn("log.jsonl", text)).toEqual([]);
});

test("messages without a text are refused", async () => {
  await expect(promptIn("a.json", '[{"role": "user", "content": " "}]')).rejects.toThrow(
    "It has no text that a model could read.",
  );
});
