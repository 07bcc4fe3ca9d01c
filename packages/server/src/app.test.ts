import { once } from "node:events";
import { connect } from "node:net";
import { rateLimits } from "@promptreg/core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Person, startTestServer, type TestServer } from "../test/harness.ts";
import { filesOf, publish } from "../test/prompts.ts";
import { readProxies } from "./kernel/http/client-address.ts";
import { createRateLimiter } from "./kernel/rate-limits/rate-limit.ts";

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  await publish(alice, "hi");
});
afterAll(() => server.stop());

/** Requests any path, also outside `/api/v1`. */
const ask = (path: string, init: RequestInit = {}) =>
  fetch(server.url + path, { redirect: "manual", ...init });

describe("a request that is no operation", () => {
  beforeAll(() => {
    server.context.trustedProxies = readProxies("127.0.0.1");
  });
  beforeEach(async () => {
    const ip = { per: "ip", quota: 2, windowSeconds: 60 } as const;
    const limiter = createRateLimiter({ ...server.context, limits: { ...rateLimits, ip } });
    await limiter.start();
    limiter.stop();
    server.context.limiter = limiter;
  });
  afterAll(() => {
    server.context.limiter = null;
  });

  test.each([
    ["GET", "/nothing/at/all", 404],
    ["POST", "/reference", 404],
    ["DELETE", "/api/v1/prompts", 405],
    ["OPTIONS", "/api/v1/prompts", 204],
    ["GET", "/", 200],
    ["GET", "/api/v1/openapi.json", 200],
    ["GET", "/reference", 200],
    ["GET", "/docs/webhooks", 200],
    ["GET", "/schemas/promptreg.json", 200],
    ["GET", "/alice", 302],
    ["GET", "/makes/bot", 302],
    ["GET", "/makes/bot@1", 404],
    ["GET", "/posts/pst_01jd0000000000000000000000", 302],
    ["GET", "/contests/best-reviewer", 302],
    ["GET", "/alice/hi", 302],
  ])("counts against the limit of its address: %s %s", async (method, path, status) => {
    const refuse = vi.spyOn(server.context.failures, "refuse");
    const answers = await Promise.all([1, 2, 3].map(() => ask(path, { method })));
    expect(answers.map((answer) => answer.status)).toEqual([status, status, 429]);
    expect(await answers[2]?.json()).toMatchObject({ error: { code: "rate_limited" } });
    expect(answers[2]?.headers.get("ratelimit-policy")).toBe('"ip";q=2;w=60');
    expect(answers[2]?.headers.get("retry-after")).toMatch(/^\d+$/);
    const requestId = answers[2]?.headers.get("x-request-id");
    expect(refuse.mock.calls).toEqual([
      ["rate_limited", { operation: "none", requestId, network: "127.0.0.1" }],
    ]);
    refuse.mockRestore();
    const elsewhere = { method, headers: { "x-forwarded-for": "198.51.100.7" } };
    expect((await ask(path, elsewhere)).status).toBe(status);
  });

  test("has headers about the limit, unless shared caches may store the response", async () => {
    expect((await ask("/nothing")).headers.get("ratelimit")).toMatch(/^"ip";r=1;t=\d+$/);
    expect((await ask("/reference")).headers.get("ratelimit")).toBeNull();
  });

  test("is free if it is a 304", async () => {
    const headers = { "if-none-match": (await ask("/reference")).headers.get("etag") ?? "" };
    for (let i = 0; i < 5; i++) expect((await ask("/reference", { headers })).status).toBe(304);
  });

  test.each(["/healthz", "/readyz"])("is not counted if it is a health check: %s", async (path) => {
    for (let i = 0; i < 4; i++) expect((await ask(path)).status).toBe(200);
  });
});

describe("a URL for people", () => {
  const follow = async (url: string) => {
    const answer = await fetch(url);
    return [answer.status, await answer.json()];
  };

  test("redirects from owners and actors to the account", async () => {
    const { json: prompt } = await alice.request("GET /prompts/alice/hi");
    const { json: history } = await alice.request("PUT /prompts/alice/hi/labels/production", {
      body: { versionNumber: 1 },
    });
    const { json: account } = await server.anonymous("GET /users/alice");
    for (const { url } of [prompt.owner, history.updatedBy, account])
      expect(await follow(url)).toEqual([200, account]);
    const [event] = await server.sql<{ envelope: string }[]>`
      select convert_from(body, 'UTF8') as envelope from events order by id desc limit 1`;
    expect(await follow(JSON.parse(event?.envelope ?? "").data.actor.url)).toEqual([200, account]);
  });

  test.each([
    ["/alice", "/api/v1/users/alice"],
    ["/alice/hi", "/api/v1/prompts/alice/hi"],
    ["/alice/hi@1", "/api/v1/prompts/alice/hi?version=1"],
  ])("%s redirects GET and HEAD", async (path, location) => {
    for (const method of ["GET", "HEAD"]) {
      const { status, headers } = await ask(path, { method });
      expect([status, headers.get("location"), headers.get("cache-control")]).toEqual([
        302,
        location,
        "no-store",
      ]);
    }
  });

  test.each([
    "/settings",
    "/api",
    "/Alice",
    "/al%20ice",
    "/alice/",
    "/alice/hi/there",
    "/alice/hi@",
    "/an.other/alice/hi",
  ])("is not: %s", async (path) => {
    expect((await ask(path)).status).toBe(404);
  });
});

test("browsers must not read JSON as another type", async () => {
  const paths = [
    "/healthz",
    "/readyz",
    "/no/such/thing",
    "/api/v1/openapi.json",
    "/api/v1/prompts",
    "/api/v1/me",
  ];
  for (const path of [...paths, "/api/v1/prompts/alice/hi"]) {
    const { headers } = await ask(path);
    expect([path, headers.get("content-type"), headers.get("x-content-type-options")]).toEqual([
      path,
      "application/json",
      "nosniff",
    ]);
  }
});

describe("unread responses", () => {
  const mebibyte = 1024 * 1024;
  const from = (address: string, path: string) => ask(path, { headers: { "x-forwarded-for": address } });
  let release = () => {};
  const hold = (bytes: number) => {
    const holding = server.context.holdings.hold("198.51.100.1");
    holding.add(bytes);
    ({ release } = holding);
  };
  const statusFor = async (address: string, path: string) => {
    const answer = await from(address, path);
    await answer.arrayBuffer();
    return answer.status;
  };
  const small = "/api/v1/prompts/alice/hi";
  const large = "/api/v1/prompts/alice/large";

  beforeAll(async () => {
    server.context.trustedProxies = readProxies("127.0.0.1");
    const content = "x".repeat(mebibyte);
    const files = Array.from({ length: 9 }, (_, i) => ({ path: `${i}.md`, content }));
    await publish(alice, "large", { files: [...filesOf("Hi"), ...files] });
  });
  afterEach(() => release());

  test("over the limit of their address make its requests fail", async () => {
    hold(64 * mebibyte);
    const answer = await from("198.51.100.1", small);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "5"]);
    expect(await answer.json()).toMatchObject({ error: { code: "rate_limited" } });
    expect(await statusFor("198.51.100.2", large)).toBe(200);
  });

  test("refuse a write before it is made, and never after", async () => {
    const label = (method: string, name: string, body?: object) => {
      const headers = { "x-forwarded-for": "198.51.100.1" };
      return alice.request(`${method} /prompts/alice/hi/labels/${name}`, { body, headers });
    };
    hold(64 * mebibyte - 100);
    expect((await label("PUT", "held", { versionNumber: 1 })).status).toBe(201);
    release();
    hold(64 * mebibyte + 1);
    expect((await label("DELETE", "held")).status).toBe(429);
    const { json } = await alice.request("GET /prompts/alice/hi/labels");
    expect(json.items.map(({ name }: { name: string }) => name)).toContain("held");
  });

  test("count together with incomplete bodies", async () => {
    hold(60 * mebibyte);
    const fields = [
      "Host: a",
      `Authorization: Bearer ${alice.token}`,
      "X-Forwarded-For: 198.51.100.1",
      "Content-Type: application/json",
      `Content-Length: ${16 * mebibyte}`,
    ].join("\r\n");
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.write(`POST /api/v1/prompts HTTP/1.1\r\n${fields}\r\n\r\n${"x".repeat(5 * mebibyte)}`);
    const [refusal] = (await once(socket, "data")) as [Buffer];
    expect(String(refusal)).toMatch(/^HTTP\/1\.1 429 /);
    expect(server.context.holdings.bytes).toBe(60 * mebibyte);
    socket.destroy();
  });

  test("refuse a response that is too large for the rest of the limit", async () => {
    hold(60 * mebibyte);
    expect(await statusFor("198.51.100.1", small)).toBe(200);
    expect(await statusFor("198.51.100.1", large)).toBe(429);
  });

  test("of all addresses together refuse large responses to everybody, and small ones to nobody", async () => {
    hold(250 * mebibyte);
    const answer = await from("198.51.100.2", large);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await statusFor("198.51.100.2", small)).toBe(200);
  });

  test("never exceed the limit of an address", { tags: "long" }, async () => {
    hold(40 * mebibyte);
    const open = () => connect(Number(new URL(server.url).port), "127.0.0.1").pause();
    const sockets = [open(), open(), open(), open()];
    const fields = "Host: a\r\nX-Forwarded-For: 198.51.100.1\r\n";
    for (const socket of sockets) socket.write(`GET ${large} HTTP/1.1\r\n${fields}\r\n`);
    const starts = sockets.map(async (socket) => {
      await once(socket, "readable");
      return String(socket.read(12));
    });
    const statuses = (await Promise.all(starts)).map((start) => start.slice(-3));
    expect(statuses.sort()).toEqual(["200", "200", "429", "429"]);
    expect(server.context.holdings.bytes).toBeGreaterThan(58 * mebibyte);
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(() => expect(server.context.holdings.bytes).toBe(40 * mebibyte));
  });
});
