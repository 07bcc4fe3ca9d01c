import { expect, test } from "vitest";
import { foundIn, piecesOf, promptsIn } from "../testing.ts";
import type { ImportDraft } from "../detector.ts";
import { chatgptConversations } from "./chatgpt-conversations.ts";
import { claudeConversations } from "./claude-export.ts";

const long = (text: string) => `${text} `.repeat(400 / text.length + 1).trim();

interface Node {
  parent: string | null;
  message: object | null;
}
const message = (role: string, text: string, metadata = {}) => ({
  author: { role },
  content: { content_type: "text", parts: [text] },
  metadata,
});
const mapping: Record<string, Node> = {
  root: { parent: null, message: null },
  hidden: {
    parent: "root",
    message: message("user", long("Hidden"), { is_visually_hidden_from_conversation: true }),
  },
  first: { parent: "hidden", message: message("user", long("First {{x}}")) },
  answer: { parent: "first", message: message("assistant", long("Answer")) },
  short: { parent: "answer", message: message("user", "Thanks!") },
  left: { parent: "short", message: message("user", long("Left")) },
  last: { parent: "short", message: message("user", long("Last")) },
};
const conversation = { title: "A trip", id: "c1", current_node: "last", mapping };

test("an export of ChatGPT gives the first message of its user and the long ones, on the branch shown last", async () => {
  const { detector, found } = await foundIn("export/conversations.json", JSON.stringify([conversation]));
  expect(detector).toBe("chatgpt-conversations");
  expect(found).toMatchObject([
    { part: "first", name: "A trip", title: "A trip", kind: "text" },
    { part: "last", name: "A trip", title: "A trip (2)", entry: `${long("Last")}\n` },
  ]);
});

test("a short first message is a prompt, and comes after the long ones of all conversations", async () => {
  const chat = (name: string, ...texts: string[]) => ({
    uuid: name,
    name,
    chat_messages: texts.map((text, nth) => ({ uuid: `${name}${nth}`, sender: "human", text })),
  });
  const chats = [chat("a", " ", "Hello", long("More"), "Thanks"), chat("b", "Hi"), chat("c", long("Long"))];
  const text = JSON.stringify(chats);
  const titles = ["a2 a (2)", "c0 c", "a1 a", "b0 b"];
  const told = (found: (ImportDraft | string)[]) =>
    found.map((one) => (typeof one === "string" ? one : `${one.part} ${one.title}`));
  expect(told(await promptsIn("conversations.json", text))).toEqual(titles);

  // The same of an export that breaks off.
  const given: string[] = [];
  await expect(async () => {
    for await (const one of claudeConversations.stream(
      piecesOf(text.replace(/.$/, ",")),
      "conversations.json",
    ))
      given.push(...told([one as ImportDraft]));
  }).rejects.toThrow("The file ends");
  expect(given).toEqual(titles);
});

test("a later message is long with 400 characters", async () => {
  const texts = ["Hello", "a".repeat(399), ` ${"b".repeat(400)} `];
  const said = texts.map((text, nth) => ({ uuid: String(nth), sender: "human", text }));
  const found = await promptsIn("conversations.json", JSON.stringify([{ name: "x", chat_messages: said }]));
  expect(found).toMatchObject([{ part: "2" }, { part: "0" }]);
});

test("nodes that lead in a circle, or to nothing, end there", async () => {
  const circle = { ...mapping, root: { parent: "last", message: null } };
  const lost = { ...mapping, first: { parent: "nobody", message: message("user", long("First")) } };
  const text = JSON.stringify([
    { ...conversation, mapping: circle },
    { ...conversation, mapping: lost },
    { ...conversation, current_node: "__proto__" },
  ]);
  expect(await promptsIn("conversations-001.json", text)).toHaveLength(4);
});

const claude = {
  uuid: "c1",
  name: "",
  chat_messages: [
    { uuid: "m1", sender: "human", text: long("Ask me about it") },
    { uuid: "m2", sender: "assistant", text: long("No") },
    {
      uuid: "m3",
      sender: "human",
      text: "",
      content: [{ type: "text", text: long("Blocks") }, { type: "tool_use" }],
    },
    { uuid: "m4", sender: "human", text: "Thanks" },
  ],
};

test("an export of Claude gives the first message of its user and the long ones", async () => {
  const { detector, found } = await foundIn("conversations.json", JSON.stringify([claude]));
  expect(detector).toBe("claude-conversations");
  expect(found).toMatchObject([
    { part: "m1", title: "Ask me about it Ask me about it Ask me about it Ask me" },
    { part: "m3", entry: `${long("Blocks")}\n` },
  ]);
});

test("the instructions of Claude's projects are prompts", async () => {
  const projects = [
    {
      uuid: "p1",
      name: "Reviews",
      description: "For code",
      prompt_template: "Review {{it}}.",
      docs: [{}, {}],
    },
    { uuid: "p2", name: "Empty", description: "", prompt_template: "", docs: [] },
    { uuid: "p3", name: "", prompt_template: "Hello", docs: [] },
    { uuid: "p4", name: "How to use Claude", prompt_template: "Hello", is_starter_project: true },
  ];
  expect(await promptsIn("projects.json", JSON.stringify(projects))).toMatchObject([
    {
      part: "p1",
      name: "Reviews",
      summary: "For code",
      warnings: ["The documents of the project are left out: 2."],
    },
    { part: "p3", name: "Hello", warnings: [] },
  ]);
  const path = "projects/0198c0de-0000-7000-8000-000000000001.json";
  expect(await promptsIn(path, JSON.stringify(projects[0]))).toMatchObject([{ part: null, name: "Reviews" }]);
});

test.for(["[]", "{}", "[1, 2]", "", "null", '[{"mapping": 1}]', '"a"', " [ ] "])(
  "%j is no export",
  async (text) => {
    expect(await promptsIn("conversations.json", text)).toEqual([]);
    expect(await promptsIn("projects.json", text)).toEqual([]);
  },
);

async function read(text: string, size?: number) {
  const found: unknown[] = [];
  for await (const one of chatgptConversations.stream(piecesOf(text, size), "conversations.json"))
    found.push(one);
  return found;
}

test("an export is read alike in pieces of any size", async () => {
  const text = `\uFEFF [\n${[conversation, { ...conversation, title: 'é ]}, "\\' }].map((one) => JSON.stringify(one)).join(" ,\n")} ]\n`;
  const whole = await read(text, 1e9);
  expect(whole).toHaveLength(4);
  for (const size of [1, 2, 3, 7, 1000]) expect(await read(text, size)).toEqual(whole);
});

test("an export that breaks off, or is broken, is refused", async () => {
  const text = JSON.stringify([conversation, conversation]);
  await expect(read(text.slice(0, -5))).rejects.toThrow("The file ends in the middle of item 2.");
  await expect(read(text.replace(/.$/, ",]"))).rejects.toThrow("Item 3 is not valid JSON.");
});

test.for([
  ["its largest conversation", conversation],
  [
    "twenty thousand short messages",
    {
      ...conversation,
      current_node: "hi",
      mapping: { hi: { parent: null, message: message("user", "Hi") } },
    },
  ],
] as const)("a large export takes the memory of %s", { tags: "long" }, async ([, one]) => {
  const text = new TextEncoder().encode(`${JSON.stringify(one)},`.repeat(100));
  async function* endless() {
    yield new TextEncoder().encode("[");
    for (let index = 0; index < 400; index++) yield text;
    yield new TextEncoder().encode("{}]");
  }
  const before = process.memoryUsage().rss;
  let count = 0;
  for await (const _ of chatgptConversations.stream(endless(), "conversations.json")) count++;
  expect(count).toBe(one === conversation ? 80_000 : 40_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
});
