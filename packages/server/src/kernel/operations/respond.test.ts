import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { respond } from "./respond.ts";
import { type FixtureServer, fixtures, startFixtures, streams } from "../../../test/fixtures.ts";

let server: FixtureServer;
let token: string;

beforeAll(async () => {
  server = await startFixtures();
  ({ token } = await server.real.join("alice"));
});
afterAll(() => server.stop());

const asked = {
  id: "1",
  accept: "",
  isRead: true,
  canWait: false,
  waitSeconds: undefined,
  isAnonymous: true,
  isForMembers: false,
  hasCdn: false,
  hasForms: false,
  ifNoneMatch: [],
  meter: null,
};

describe("a response", () => {
  test("of a stream is not admitted once more: the stream was, with all that it holds", async () => {
    const full = () => {
      throw new Error("the address holds too much");
    };
    const bytes = new ReadableStream({ start: (controller) => controller.close() });
    expect(respond({ status: 200, bytes, etag: null }, { ...asked, admit: full }).status).toBe(200);
    expect(() => respond({ status: 200, json: {}, etag: null }, { ...asked, admit: full })).toThrow(
      "too much",
    );
  });

  test.each([
    [true, "Accept"],
    [false, null],
  ])("that a CDN keeps varies with the form at most: forms %s", (hasForms, vary) => {
    const reply = { status: 200, json: {}, etag: "a", immutable: "public", surrogateKey: "prm_1" } as const;
    const { headers } = respond(reply, { ...asked, hasCdn: true, hasForms, admit: () => {} });
    expect(headers.get("vary")).toBe(vary);
  });

  test("of text is UTF-8, and browsers must not guess another type", async () => {
    const { status, text, headers } = await server.request("GET /text");
    expect([status, text]).toEqual([200, "Grüße, 🌍"]);
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("of HTML runs and loads nothing, is not stored, and sends no referrer", async () => {
    const { status, text, headers } = await server.request("GET /page");
    expect([status, text]).toEqual([200, "<p>Hello</p>"]);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'none'; /);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("etag")).toBeNull();
  });

  test("that redirects is not stored by caches", async () => {
    const { status, text, headers } = await server.request("GET /elsewhere");
    expect([status, text]).toEqual([302, ""]);
    expect(headers.get("location")).toBe("https://media.example/a.png");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("etag")).toBeNull();
  });

  test("without content has neither body nor content type", async () => {
    const { status, text, headers } = await server.request("POST /touch", { token });
    expect([status, text, headers.get("content-type")]).toEqual([204, "", null]);
  });

  test("has the status that its handler chose", async () => {
    const made = await server.request("PUT /words/new", { token, body: { said: "a" } });
    const changed = await server.request("PUT /words/old", { token, body: { said: "a" } });
    expect([made.status, made.json, changed.status, changed.json]).toEqual([
      201,
      { said: "a" },
      200,
      { said: "a" },
    ]);
    expect(made.headers.get("location")).toBe("https://here.example/words/new");
    expect(made.headers.get("cache-control")).toBe("no-store");
  });
});

describe("an operation with several media types", () => {
  const typeFor = async (accept: string) => {
    const { headers } = await server.request("GET /alternative", { headers: { accept } });
    return headers.get("content-type")?.split(";")[0];
  };

  test("answers in the one that Accept names", async () => {
    expect(await typeFor("application/json")).toBe("application/json");
    expect(await typeFor("text/markdown")).toBe("text/markdown");
    expect(await typeFor("image/png, text/markdown")).toBe("text/markdown");
    expect(await typeFor("text/*")).toBe("text/markdown");
    expect(await typeFor("Text/Markdown; charset=utf-8")).toBe("text/markdown");
  });

  test("answers in its default if Accept names no type that it has", async () => {
    for (const accept of ["*/*", "image/png", "", ",", "image/*", "a".repeat(8000)]) {
      expect([accept, await typeFor(accept)]).toEqual([accept, "application/json"]);
    }
  });

  test("respects the weights of Accept", async () => {
    expect(await typeFor("application/json;q=0.5, text/markdown")).toBe("text/markdown");
    expect(await typeFor("text/markdown;q=0.1, application/json;q=0.9")).toBe("application/json");
    expect(await typeFor("text/markdown;q=0")).toBe("application/json");
  });
});

describe("a stream of bytes", () => {
  test("arrives whole, and is never far ahead of its reader", { tags: "long" }, async () => {
    const response = await fetch(`${server.url}/api/v1/stream/256`);
    expect(response.headers.get("content-type")).toBe("application/zip");
    let received = 0;
    let aheadBytes = 0;
    for await (const part of response.body ?? []) {
      received += part.length;
      aheadBytes = Math.max(aheadBytes, streams.sentBytes - received);
    }
    expect(received).toBe(256 * 1024 * 1024);
    expect(aheadBytes).toBeLessThan(32 * 1024 * 1024);
  });

  test("names the file to save it as, with any characters", async () => {
    const { headers } = await server.request("GET /stream/0");
    expect(headers.get("content-disposition")).toBe(
      "attachment; filename*=UTF-8''gr%C3%B6%C3%9Fte%20%281%29.zip",
    );
  });

  test.each([
    ["when the client disconnects", () => hangUp()],
    ["for a HEAD", () => server.request("HEAD /stream/256")],
    ["for a 304", () => server.request("GET /stream/256", { headers: { "if-none-match": '"256"' } })],
  ])("cancels its source %s", async (_when, act) => {
    const before = streams.wereCancelled;
    await act();
    await vi.waitFor(() => expect(streams.wereCancelled).toBe(before + 1), { timeout: 2_000 });
  });

  async function hangUp() {
    const ending = new AbortController();
    const response = await fetch(`${server.url}/api/v1/stream/256`, { signal: ending.signal });
    await response.body?.getReader().read();
    ending.abort();
  }
});

describe("HEAD", () => {
  test.each([
    "/text",
    "/alternative",
    "/page",
    "/elsewhere",
    "/stream/1",
    "/tagged/a",
    "/words/a",
    "/nowhere",
  ])("of %s answers as GET does, without the body", async (path) => {
    const headers = { "x-request-id": "the-same-for-both" };
    const got = await server.request(`GET ${path}`, { headers });
    const head = await server.request(`HEAD ${path}`, { headers });
    expect([head.status, head.text]).toEqual([got.status, ""]);
    expect(comparable(head.headers)).toEqual(comparable(got.headers));
  });

  // Headers of the connection and of the body.
  const ignored = ["date", "connection", "keep-alive", "transfer-encoding", "content-length"];
  const comparable = (headers: Headers) => [...headers].filter(([name]) => !ignored.includes(name));
});

describe("an error", () => {
  test("has the same shape everywhere, and is not stored by caches", async () => {
    const { status, headers, json } = await server.request("POST /touch");
    expect(json).toEqual({
      error: { code: "unauthenticated", message: expect.any(String), requestId: headers.get("x-request-id") },
    });
    expect([status, headers.get("www-authenticate"), headers.get("cache-control")]).toEqual([
      401,
      "Bearer",
      "no-store",
    ]);
  });

  test("that is a bug of ours shows no detail", async () => {
    const { status, text, json } = await server.request("GET /wrong/defect");
    expect([status, json.error.code]).toEqual([500, "internal_error"]);
    expect(text).not.toContain("defect");
    expect(server.takeFaults()).toEqual(["a defect"]);
  });
});

describe("in tests, a response that its operation does not declare is a failure:", () => {
  test.each([
    ["code", "answers.wrong answered webhook_limit, which it does not declare"],
    ["status", "answers.wrong answered 418, which it does not declare"],
    ["schema", "answers.wrong answered outside its schema"],
  ])("its %s", async (how, fault) => {
    expect((await server.request(`GET /wrong/${how}`)).status).toBe(500);
    expect(server.takeFaults()).toEqual([expect.stringContaining(fault)]);
  });

  test("no other response of the fixtures", () => {
    expect(Object.keys(fixtures.answers)).toContain("wrong");
    expect(server.takeFaults()).toEqual([]);
  });
});
