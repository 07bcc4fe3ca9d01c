import { expect, test } from "vitest";
import { comparableText, fingerprint } from "./fingerprint.ts";
import { NearIndex } from "./near.ts";

const sentences = Array.from(
  { length: 40 },
  (_, n) => `Say what part ${n * 7} of the change number ${n} does.`,
);
const long = sentences.join(" ");
const changed = long.replace("part 7 of", "piece 7 of").replace("Say what part 70", "Tell what part 70");

function nearOf(text: string, ...added: string[]): [id: string, similarity: number][] {
  const index = new NearIndex();
  for (const [nth, one] of added.entries()) index.add(String(nth), one);
  return index.find(text).map(({ id, similarity }) => [id, similarity]);
}

test("a text is near to one with some words changed, and not to one that shares its subject", () => {
  const other = sentences.map((one, n) => (n % 3 === 0 ? `Never name the author of ${n}.` : one)).join(" ");
  const [[id, similarity] = [], ...rest] = nearOf(long, other, changed);
  expect([id, rest]).toEqual(["1", []]);
  expect(similarity).toBeGreaterThan(0.8);
  expect(similarity).toBeLessThan(1);
  expect(nearOf(long, long)).toEqual([["0", 1]]);
});

test("a text of a few words is compared by its characters, and one without spaces by each of them", () => {
  expect(nearOf("translate this into french, please", "translate this into french please")).toHaveLength(1);
  expect(nearOf("translate this into french", "translate that into german")).toEqual([]);
  const chinese = "请把下面的文字翻译成英文,保持原来的格式和语气,不要添加任何解释或者评论,只返回翻译的结果";
  expect(nearOf(chinese, chinese.replace("英文", "法文"))).toEqual([["0", expect.any(Number)]]);
});

test("of twenty words on texts are compared by words, and texts are near from 0.8 on", () => {
  const words = Array.from({ length: 20 }, (_, n) => `word${n}`);
  const similarity = (count: number) =>
    nearOf(words.slice(0, count).join(" "), [...words.slice(0, count - 1), "other"].join(" "))[0]?.[1];
  expect(similarity(20)).toBe(17 / 19);
  expect(similarity(19)).not.toBe(16 / 18);
  expect(nearOf("abcdefghijk", "abcdefghijX")).toEqual([["0", 0.8]]);
});

test("a text that is added is compared with those before it, the most similar first", () => {
  const index = new NearIndex();
  expect(index.add("a", long)).toEqual([]);
  expect(index.add("b", changed)).toMatchObject([{ id: "a" }]);
  expect(index.add("c", long)).toMatchObject([{ id: "a", similarity: 1 }, { id: "b" }]);
});

test("an index of one text a thousand times finds ten of them, in a moment", { tags: "long" }, () => {
  for (const text of [
    "a".repeat(1024 * 1024),
    "提".repeat(1024 * 1024),
    long,
    "",
    "ab",
    "\ud800\ud800\ud800",
  ]) {
    const found = nearOf(text, ...Array.from({ length: 1_000 }, () => text));
    expect(found).toHaveLength(text.length < 3 ? 0 : 10);
  }
});

test("two entries have the same fingerprint if their texts differ in space, case, width and names of variables alone", async () => {
  const of = (entry: string) => fingerprint(comparableText("text", entry));
  const known = await of("Review {{code}}.\n\nBe brief.\n");
  expect(known).toMatch(/^[0-9a-f]{64}$/);
  expect(await of("---\nvariables:\n  - name: diff\n---\n\nreview {{ diff }}.  Be ｂrief.")).toBe(known);
  expect(await of("Review \\{{code}}.\n\nBe brief.\n")).not.toBe(known);
  expect(await of("Review {{code}}. Be long.")).not.toBe(known);
});

test("chats have the same fingerprint if the same roles say the same", async () => {
  const of = (chat: object) => fingerprint(comparableText("chat", JSON.stringify(chat)));
  const messages = [
    { role: "system", content: "Be brief." },
    { type: "placeholder", name: "history" },
    { role: "user", content: [{ type: "text", text: "Hi {{name}}" }] },
  ];
  const same = [messages[0], { type: "placeholder", name: "past" }, { role: "user", content: "Hi {{who}}" }];
  const known = await of({ messages });
  expect(await of({ messages: same, config: { model: "x" } })).toBe(known);
  expect(
    await of({ messages: [messages[0], messages[1], { role: "assistant", content: "Hi {{name}}" }] }),
  ).not.toBe(known);
});

test("a text without letters has no fingerprint: skills that are nothing but files are not the same", async () => {
  expect(await fingerprint(comparableText("skill", "---\nname: a\ndescription: A\n---\n"))).toBeNull();
  expect(await fingerprint(comparableText("text", "---"))).toBeNull();
});
