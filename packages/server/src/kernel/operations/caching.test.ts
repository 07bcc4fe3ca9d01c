import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FixtureServer, startFixtures } from "../../../test/fixtures.ts";
import type { Person } from "../../../test/harness.ts";
import { promptOf, publish } from "../../../test/prompts.ts";

let server: FixtureServer;
let alice: Person;

beforeAll(async () => {
  server = await startFixtures();
  alice = await server.real.join("alice");
});
afterAll(() => server.stop());

describe("a reader who has the response already", () => {
  const ask = (etag: string, ifNoneMatch: string) =>
    server.request(`GET /tagged/${encodeURIComponent(etag)}`, { headers: { "if-none-match": ifNoneMatch } });

  test.each([
    ["the same ETag", "a1", '"a1"'],
    ["a strong ETag, sent as weak", "a1", 'W/"a1"'],
    ["the same weak ETag", "W/a1", 'W/"a1"'],
    ["a weak ETag, sent as strong", "W/a1", '"a1"'],
    ["one of several", "a1", '"b2", W/"c3" ,"a1"'],
    ["*", "a1", "*"],
  ])("gets 304 without a body for %s", async (_what, etag, ifNoneMatch) => {
    const { status, text, headers } = await ask(etag, ifNoneMatch);
    expect([status, text, headers.get("content-type")]).toEqual([304, "", null]);
    expect(headers.get("etag")).toBe(etag.startsWith("W/") ? 'W/"a1"' : '"a1"');
    expect(headers.get("vary")).toBe("Authorization, Accept");
    expect(headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
  });

  test.each(["", '"a"', '"a11"', "a1", '"a1', '"b,a1"', ", ,", '"A1"'])(
    "gets the whole response for %s",
    async (ifNoneMatch) => {
      const { status, json } = await ask("a1", ifNoneMatch);
      expect([status, json]).toEqual([200, { said: "a1" }]);
    },
  );

  test("gets the whole response in another media type", async () => {
    const ifNoneMatch = { "if-none-match": '"json"' };
    expect((await server.request("GET /alternative", { headers: ifNoneMatch })).status).toBe(304);
    const other = await server.request("GET /alternative", {
      headers: { ...ifNoneMatch, accept: "text/markdown" },
    });
    expect([other.status, other.headers.get("etag")]).toEqual([200, '"markdown"']);
  });

  test("can send a long list of ETags", async () => {
    const { status } = await ask("a1", `${'W/"b",'.repeat(2000)}"a1"`);
    expect(status).toBe(304);
  });
});

describe("Cache-Control:", () => {
  const ruleOf = async (route: string, token?: string) =>
    (await server.request(route, { ...(token && { token }) })).headers.get("cache-control");

  test("every cache may store an anonymous response, and must revalidate it", async () => {
    expect(await ruleOf("GET /tagged/a")).toBe("public, max-age=0, must-revalidate");
  });

  test("only the reader may store a response for a token", async () => {
    expect(await ruleOf("GET /tagged/a", alice.token)).toBe("private, no-cache");
  });

  test("a response that never changes is fresh for a year, in shared caches for a minute", async () => {
    expect(await ruleOf("GET /fixed/public")).toBe("public, max-age=31536000, s-maxage=60, immutable");
    expect(await ruleOf("GET /fixed/private", alice.token)).toBe("private, max-age=31536000, immutable");
  });

  test("nobody stores an error, even where responses never change", async () => {
    expect(await ruleOf("GET /fixed/unknown")).toBe("no-store");
  });
});

describe("If-Match", () => {
  let revision: string;

  beforeAll(async () => {
    await publish(alice, "hello", { title: "Hello" });
    const { headers } = await alice.request("GET /prompts/alice/hello");
    revision = /^W\/"(\d+)/.exec(headers.get("etag") ?? "")?.[1] ?? "";
  });

  const edit = async (ifMatch: string, said = "Hello") =>
    server.request("PATCH /prompts/alice/hello", {
      token: alice.token,
      headers: { "if-match": ifMatch },
      body: { said },
    });

  test("with an ETag from before a change is refused, and changes nothing", async () => {
    for (const stale of ['"0"', 'W/"0.x.y"', '"1000000"', `"${revision}0"`, "nonsense", ""]) {
      const { status, json } = await edit(stale, "overwritten");
      expect([stale, status, json.error?.code]).toEqual([stale, 412, "precondition_failed"]);
    }
    expect((await alice.request("GET /prompts/alice/hello")).json.title).toBe("Hello");
  });

  test("with the newest ETag passes once", async () => {
    const { headers } = await alice.request("GET /prompts/alice/hello");
    const etag = headers.get("etag") ?? "";
    expect((await edit(etag)).status).toBe(200);
    expect((await edit(etag)).status).toBe(412);
  });

  test("passes for *, and for one ETag of several", async () => {
    expect((await edit("*")).status).toBe(200);
    const { headers } = await alice.request("GET /prompts/alice/hello");
    expect((await edit(`"0", ${headers.get("etag")}`)).status).toBe(200);
  });

  test("guards a POST that acts on a thing", async () => {
    const headers = { "if-match": '"0"' };
    const { json } = await server.request("POST /prompts/alice/hello/star", { token: alice.token, headers });
    expect(json.error.code).toBe("precondition_failed");
  });

  test("is ignored for a POST that makes a thing, which has no revision yet", async () => {
    const headers = { "if-match": '"0"' };
    expect((await alice.request("POST /prompts", { headers, body: promptOf("made") })).status).toBe(201);
  });

  test("allows one of two edits of the same revision", async () => {
    const { headers } = await alice.request("GET /prompts/alice/hello");
    const etag = headers.get("etag") ?? "";
    const answers = await Promise.all([edit(etag, "one"), edit(etag, "two")]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });
});
