import { beforeEach, describe, expect, test } from "vitest";
import { versionOf } from "../../test/registry-stub.ts";
import { createClient, type Client } from "../index.ts";

let requests: string[];
let isOld: boolean;
let client: Client;
const slugs = Array.from({ length: 250 }, (_, nth) => `prompt-${nth}`);

beforeEach(() => {
  [requests, isOld] = [[], false];
  client = clientWith("prt_test");
});

const clientWith = (token: string | null) =>
  createClient({ baseUrl: "http://registry.test", token, retries: 0, fetch: answer });

const json = (data: unknown, status = 200, headers = {}) =>
  new Response(JSON.stringify(data), {
    status,
    headers: { "content-type": "application/json", "x-request-id": "req-12345", ...headers },
  });
const refusal = (status: number, code: string) =>
  json({ error: { code, message: "No.", requestId: "req-12345" } }, status);

async function answer(url: string): Promise<Response> {
  const { pathname, search, searchParams } = new URL(url);
  requests.push(pathname.replace("/api/v1", "") + search);
  if (pathname.endsWith("/me")) return json({ handle: "ada" });
  if (pathname.endsWith("/prompts")) {
    if (isOld && searchParams.get("view") === "version") return refusal(422, "validation_failed");
    const start = Number(searchParams.get("cursor") ?? 0);
    const items = slugs.slice(start, start + 100).map((slug, nth) => ({
      slug,
      ref: `ada/${slug}`,
      yanked: false,
      etag: `"v1.${slug}"`,
      version: versionOf(1),
      resolvedBy: { type: "label", value: searchParams.get("label") },
      ...(slug === "prompt-7" && nth === 7 && !isOld && { version: null }),
      ...(slug === "prompt-8" && !isOld && { etag: null }),
      ...(slug === "prompt-9" && !isOld && { ref: null }),
    }));
    return json({ items, nextCursor: start + 100 < slugs.length ? String(start + 100) : null });
  }
  const slug = pathname.split("/").at(-1)!;
  if (slug === "prompt-9") return refusal(404, "not_found");
  const resolvedBy = { type: "label", value: "production" };
  return json({ ref: `ada/${slug}`, resolvedBy, yanked: false, version: versionOf(1) }, 200, {
    etag: `"v1.${slug}"`,
  });
}

describe("a warm-up of an owner", () => {
  test("loads a hundred prompts with each request, which gets serve then", async () => {
    await client.warmUp({ owner: "ada", label: "production" });
    expect(requests).toEqual([
      "/me",
      "/prompts?owner=me&view=version&label=production&limit=100",
      "/prompts?owner=me&view=version&label=production&limit=100&cursor=100",
      "/prompts?owner=me&view=version&label=production&limit=100&cursor=200",
    ]);
    const { source, version, etag } = await client.prompt("ada/prompt-249@production").get();
    expect([source, version, etag]).toEqual(["memory", 1, '"v1.prompt-249"']);
    // What is no version is left out.
    expect(client.cache.size).toBe(247);
    expect(requests).toHaveLength(4);
  });

  test("of others, or without a token, asks for what is public; without a label for the latest", async () => {
    await client.warmUp({ owner: "bob" });
    await clientWith(null).warmUp({ owner: "ada" });
    expect(requests.filter((path) => !path.includes("cursor"))).toEqual([
      "/me",
      "/prompts?owner=bob&view=version&limit=100",
      "/prompts?owner=ada&view=version&limit=100",
    ]);
    expect((await client.prompt("bob/prompt-1").get()).source).toBe("memory");
  });

  test("keeps what the cache has that is newer", async () => {
    const events: string[] = [];
    client = createClient({
      baseUrl: "http://registry.test",
      token: null,
      fetch: async (url: string) => {
        const page = await answer(url);
        // Meanwhile, another request was answered.
        if (url.includes("limit=100&cursor=200")) await client.prompt("ada/prompt-240@production").get();
        return page;
      },
      cache: { onEvent: ({ type, ref }) => ref.includes("prompt-240") && events.push(type) },
    });
    await client.warmUp({ owner: "ada", label: "production" });
    expect(events.filter((type) => type === "write")).toHaveLength(1);
  });

  test("asks an older registry for each prompt, and misses none for those without the label", async () => {
    isOld = true;
    await client.warmUp({ owner: "ada", label: "production" });
    expect(client.cache.size).toBe(249);
    expect((await client.prompt("ada/prompt-249@production").get()).source).toBe("memory");
  });

  test("refuses a malformed name before it asks", async () => {
    await expect(client.warmUp({ owner: "no owner" })).rejects.toThrow(SyntaxError);
    await expect(client.warmUp({ owner: "ada", label: "No" })).rejects.toThrow(SyntaxError);
    expect(requests).toEqual([]);
  });

  test.each([
    ["holds no list", { items: null, nextCursor: null }],
    ["leads to itself", { items: [], nextCursor: "100" }],
    ["is nothing", null],
  ])("fails if a page %s", async (_, page) => {
    let asked = 0;
    client = createClient({
      baseUrl: "http://registry.test",
      token: null,
      retries: 0,
      fetch: async () => {
        asked += 1;
        if (asked > 2) throw new Error("asked without end");
        return json(page);
      },
    });
    await expect(client.warmUp({ owner: "ada" })).rejects.toMatchObject({ code: "unexpected_response" });
  });

  test("fails if the registry does, with its error", async () => {
    client = createClient({
      baseUrl: "http://registry.test",
      token: null,
      retries: 0,
      fetch: async () => refusal(503, "unavailable"),
    });
    await expect(client.warmUp({ owner: "ada" })).rejects.toMatchObject({ code: "unavailable" });
  });
});
