import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { filesOf, publish } from "../../../test/prompts.ts";
import { itemsOf, type Sender } from "../../../test/requests.ts";

let server: TestServer;
let alice: Person;
let moderator: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  moderator = await server.join("moderator", { role: "moderator" });
});
afterAll(() => server.stop());

const commit = (slug: string, body: object) =>
  alice.request(`POST /prompts/alice/${slug}/versions`, { body });

/** Makes a prompt of alice's with some versions. */
const create = (slug: string, fields: object = {}) =>
  publish(alice, slug, { files: filesOf("text 1"), ...fields });
const list = (slug: string, query = "", who: Sender = server.nobody) =>
  who.request(`GET /prompts/alice/${slug}/versions${query}`);
const numbers = ({ json }: { json: any }): number[] => json.items.map(({ n }: { n: number }) => n);
const yank = (slug: string, n: number) =>
  alice.request(`POST /prompts/alice/${slug}/versions/${n}/yank`, { body: { reason: "Too rude" } });

describe("the list of versions", () => {
  test("is newest first, each without files and with its labels", async () => {
    await create("shown");
    await commit("shown", { files: filesOf("text 2"), message: "Better", labels: ["staging", "production"] });
    const { status, json } = await list("shown");
    const { json: second } = await alice.request("GET /prompts/alice/shown/versions/2");
    const { files: _, ...summary } = second;
    expect(status).toBe(200);
    expect(json.nextCursor).toBeNull();
    expect(json.items[0]).toEqual({ ...summary, yanked: null, labels: ["production", "staging"] });
    expect(json.items[1]).toMatchObject({ n: 1, labels: [] });
  });

  test("ends a page early if versions have long settings, and goes on after it", {
    tags: "long",
  }, async () => {
    const config = { notes: "x".repeat(250_000) };
    const body = (n: number) => ({
      files: [
        {
          path: "CHAT.json",
          content: JSON.stringify({ messages: [{ role: "user", content: `${n}` }], config }),
        },
      ],
    });
    await publish(alice, "long", { kind: "chat", ...body(1) });
    for (let n = 2; n <= 40; n += 1) await commit("long", body(n));
    const { json } = await list("long", "?limit=100");
    expect(json.items.length).toBeLessThan(36);
    const ns = (await itemsOf(alice, "GET /prompts/alice/long/versions?limit=100")).map(({ n }) => n);
    expect(ns).toEqual(Array.from({ length: 40 }, (_, index) => 40 - index));
  });

  test("shows yanked versions only to the owner, with actor, time and reason", async () => {
    await create("rude", { versions: 3 });
    await yank("rude", 2);
    const own = await list("rude", "", alice);
    expect(numbers(own)).toEqual([3, 2, 1]);
    expect(own.json.items[1].yanked).toEqual({
      at: expect.stringMatching(/Z$/),
      reason: "Too rude",
      by: expect.objectContaining({ id: alice.id, handle: "alice" }),
    });
    for (const who of [{ request: server.anonymous }, moderator]) {
      expect(numbers(await list("rude", "", who))).toEqual([3, 1]);
    }
  });

  test("has full pages of visible versions, without repeats and gaps while versions come and go", async () => {
    await create("paged", { versions: 9 });
    for (const n of [8, 7, 4]) await yank("paged", n);
    const first = await list("paged", "?limit=2");
    expect(numbers(first)).toEqual([9, 6]);
    await commit("paged", { files: filesOf("one more") });
    await yank("paged", 6);
    const second = await list("paged", `?limit=2&cursor=${first.json.nextCursor}`);
    expect(numbers(second)).toEqual([5, 3]);
    const third = await list("paged", `?limit=2&cursor=${second.json.nextCursor}`);
    expect([numbers(third), third.json.nextCursor]).toEqual([[2, 1], null]);
  });

  test("shows the owner the highest number, even if it is yanked", async () => {
    await create("highest", { versions: 2 });
    await yank("highest", 2);
    expect(numbers(await list("highest", "?limit=1", alice))).toEqual([2]);
  });

  test("is empty for a draft prompt, and if no version is visible", async () => {
    await create("draft", { publish: false });
    await create("bare");
    await yank("bare", 1);
    expect((await list("draft", "", alice)).json).toEqual({ items: [], nextCursor: null });
    expect((await list("bare")).json).toEqual({ items: [], nextCursor: null });
  });

  test("changes, with its ETag, when a label moves or a version is yanked", async () => {
    await create("tagged", { versions: 2 });
    const etag = async () => (await list("tagged", "", alice)).headers.get("etag");
    const tags = [await etag(), await etag()];
    await alice.request("PUT /prompts/alice/tagged/labels/production", { body: { versionNumber: 2 } });
    tags.push(await etag());
    await yank("tagged", 1);
    tags.push(await etag());
    expect([tags[0] === tags[1], new Set(tags).size]).toEqual([true, 3]);
  });
});
