import { describe, expect, test } from "vitest";
import { answering, json, refusal } from "../test/answers.ts";

const page = (items: unknown[], nextCursor: string | null) => json({ items, nextCursor });
const threePages = [page([1, 2], "a"), page([], "b"), page([3], null)] as const;
const search = (request: Request) => new URL(request.url).search;

/** Iterates to the end, or up to `last`. */
async function collect(list: AsyncIterable<unknown>, last?: unknown): Promise<unknown[]> {
  const items = [];
  for await (const item of list) {
    items.push(item);
    if (item === last) break;
  }
  return items;
}

describe("a list", () => {
  test("gives one page when it is awaited", async () => {
    const { client, requests } = answering(...threePages);
    expect(await client.prompts.list()).toEqual({ items: [1, 2], nextCursor: "a" });
    expect(requests).toHaveLength(1);
  });

  test("gives every item when it is iterated, with the same filters on each page", async () => {
    const { client, requests } = answering(...threePages);
    expect(await collect(client.prompts.list({ query: { q: "x", limit: 2 } }))).toEqual([1, 2, 3]);
    expect(requests.map(search)).toEqual(["?q=x&limit=2", "?q=x&limit=2&cursor=a", "?q=x&limit=2&cursor=b"]);
  });

  test("requests a page only when it is needed, and none after the loop ends", async () => {
    const { client, requests } = answering(...threePages);
    expect(await collect(client.prompts.list(), 2)).toEqual([1, 2]);
    expect(requests).toHaveLength(1);
  });

  test("begins at a cursor", async () => {
    const { client, requests } = answering(page([3], null));
    expect(await collect(client.prompts.list({ query: { cursor: "b" } }))).toEqual([3]);
    expect(requests.map(search)).toEqual(["?cursor=b"]);
  });

  test("keeps path and options for every page", async () => {
    const { client, requests } = answering(...threePages);
    const prompt = { owner: "ada", slug: "reply" };
    await collect(client.prompts.versions.list(prompt, { headers: { traceparent: "00-1" } }));
    expect(requests.map(({ headers }) => headers.get("traceparent"))).toEqual(["00-1", "00-1", "00-1"]);
    expect(requests.map((request) => new URL(request.url).pathname)).toEqual(
      Array(3).fill("/api/v1/prompts/ada/reply/versions"),
    );
  });

  test("ends if the caller aborts between two pages", async () => {
    const { client, requests } = answering(...threePages);
    const abort = new AbortController();
    const items = [];
    const iterating = async () => {
      for await (const item of client.prompts.list({}, { signal: abort.signal })) {
        items.push(item);
        if (items.length === 2) abort.abort(new Error("enough"));
      }
    };
    await expect(iterating()).rejects.toThrow("enough");
    expect([items.length, requests.length]).toEqual([2, 1]);
  });

  test("that fails on the way has given the items before", async () => {
    const { client } = answering(page([1], "a"), refusal(400, "invalid_cursor"));
    const iterator = client.prompts.list()[Symbol.asyncIterator]();
    expect(await iterator.next()).toEqual({ done: false, value: 1 });
    await expect(iterator.next()).rejects.toMatchObject({ code: "invalid_cursor" });
  });

  test.each([
    ["the same page for ever", [page([1], "a")], {}],
    ["two pages in turn", [page([1], "a"), page([2], "b"), page([3], "a")], {}],
    ["the page it began with", [page([1], "start")], { cursor: "start" }],
  ] as const)("that is %s ends with an error", async (_, pages, query) => {
    const { client, requests } = answering(...(pages as unknown as typeof threePages));
    await expect(collect(client.prompts.list({ query }))).rejects.toThrow("The list never ends");
    expect(requests.length).toBeLessThanOrEqual(3);
  });

  test.each([[{ status: "ok" }], [{ items: { length: 1_000_000_000 } }], [null]])(
    "from another server is an error: %j",
    async (answer) => {
      const { client } = answering(json(answer));
      await expect(collect(client.prompts.list())).rejects.toMatchObject({ code: "unexpected_response" });
    },
  );
});
