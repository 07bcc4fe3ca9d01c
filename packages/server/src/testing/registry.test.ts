import { createServer, type Server } from "node:http";
import { ApiError, type Client, ConnectionError, createClient } from "@promptreg/client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from "vitest";
import { listen } from "../../test/waiting.ts";
import { type Registry, startRegistry } from "./index.ts";

const databaseUrl = inject("postgres").url;
const files = [{ path: "PROMPT.md", content: "Hello {{name}}" }];
let registry: Registry;
/** Whose client it is: alone in the registry, or an account of one test alone. */
let owner: { handle: string; token: string };
let client: Client;
let greeting: { owner: string; slug: string };

const clientOf = (token: string, from = registry) =>
  createClient({ baseUrl: from.baseUrl, token, fetch: from.fetch, retries: 0 });
const create = (who = client, slug = "greeting") =>
  who.prompts.create({ body: { kind: "text", visibility: "public", slug, title: "Greeting", files } });
const commit = (content: string) =>
  client.prompts.versions.create({ ...greeting, body: { files: [{ path: "PROMPT.md", content }] } });
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "fine",
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );

function actAs(account: { handle: string; token: string }): void {
  owner = account;
  client = clientOf(owner.token);
  greeting = { owner: owner.handle, slug: "greeting" };
}

function useRegistryForEachTest(): void {
  beforeEach(async () => {
    registry = await startRegistry({ databaseUrl });
    actAs(registry);
  });
  afterEach(() => registry.close());
}

function useOneRegistry(): void {
  let accounts = 0;
  beforeAll(async () => {
    registry = await startRegistry({ databaseUrl });
  });
  beforeEach(async () => {
    actAs(await registry.createAccount(`ada-${accounts++}`));
  });
  afterEach(() => {
    registry.heal();
    registry.requests.length = 0;
  });
  afterAll(() => registry.close());
}

describe("a registry for tests", () => {
  useRegistryForEachTest();

  test("answers a client in three lines", async () => {
    await using registry = await startRegistry({ databaseUrl });
    const client = createClient(registry);
    expect((await create(client)).ref).toBe("ada/greeting");
  });

  test("sees nothing of another one that is open at once", async () => {
    await using other = await startRegistry({ databaseUrl });
    await create();
    expect(await codeOf(clientOf(other.token, other).prompts.get(greeting))).toBe("not_found");
    expect(await codeOf(clientOf(registry.token, other).prompts.get(greeting))).toBe("invalid_token");
    expect(await codeOf(client.prompts.get(greeting))).toBe("fine");
  });

  test("has the accounts and tokens that a test makes", async () => {
    const bob = await registry.createAccount("bob");
    expect((await create(clientOf(bob.token))).ref).toBe("bob/greeting");
    const reader = await registry.createAccount("bob", { scopes: ["read"] });
    expect(await codeOf(create(clientOf(reader.token), "other"))).toBe("token_scope");
    await expect(registry.createAccount("Bob!")).rejects.toThrow('"Bob!" cannot be a handle');
  });

  test("refuses a token once it is revoked", async () => {
    await create();
    await registry.revokeToken(registry.token);
    expect(await codeOf(client.prompts.get(greeting))).toBe("invalid_token");
    await expect(registry.revokeToken("prt_unknown")).rejects.toThrow("no such token");
  });

  test("tells what was asked", async () => {
    await codeOf(client.prompts.get({ ...greeting, query: { label: "production" } }));
    await codeOf(client.webhooks.list({}));
    expect(registry.requests).toEqual([
      {
        method: "GET",
        path: "/api/v1/prompts/ada/greeting?label=production",
        operation: "prompts.get",
        status: 404,
      },
      { method: "GET", path: "/api/v1/webhooks", operation: "webhooks.list", status: 200 },
    ]);
  });

  test("fails like a server that is down once it is closed, which may be done twice", async () => {
    await registry.close();
    await registry.close();
    const error = await registry.fetch(`${registry.baseUrl}/healthz`).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ message: "fetch failed", cause: { code: "ECONNREFUSED" } });
  });
});

describe("its fetch", () => {
  useOneRegistry();

  test("leads nowhere else", async () => {
    await expect(registry.fetch("https://example.com/")).rejects.toThrow(
      "only reaches https://promptreg.test, not https://example.com",
    );
  });

  test("follows to where a prompt is now, as fetch does", async () => {
    await create();
    await client.prompts.update({ ...greeting, body: { slug: "welcome" } });
    const old = `${registry.baseUrl}/api/v1/prompts/${owner.handle}/greeting`;
    const headers = { authorization: `Bearer ${owner.token}` };
    const followed = await registry.fetch(old, { headers });
    expect(followed).toMatchObject({
      status: 200,
      redirected: true,
      url: old.replace("greeting", "welcome"),
    });
    expect((await registry.fetch(old, { headers, redirect: "manual" })).status).toBe(301);
    await expect(registry.fetch(old, { headers, redirect: "error" })).rejects.toThrow("fetch failed");
    // What changes something is repeated with its method and its body.
    const body = JSON.stringify({ title: "Welcome" });
    const moved = await registry.fetch(old, {
      method: "PATCH",
      body,
      headers: { ...headers, "content-type": "application/json" },
    });
    expect(await moved.json()).toMatchObject({ title: "Welcome", slug: "welcome" });
  });

  test("gives up with the reason of a signal, before and while the body comes too", async () => {
    const reason = new Error("enough");
    const url = `${registry.baseUrl}/api/v1/openapi.json`;
    await expect(registry.fetch(url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(registry.requests).toEqual([]);
    const aborter = new AbortController();
    const response = await registry.fetch(url, { signal: aborter.signal });
    aborter.abort(reason);
    await expect(response.text()).rejects.toBe(reason);
  });
});

describe("a fault", () => {
  useOneRegistry();

  test.each([
    [{ status: 429 }, "rate_limited", "1"],
    [{ status: 429, retryAfterSeconds: 0 }, "rate_limited", "0"],
    [{ status: 410 }, "gone", null],
    [{ status: 500 }, "internal_error", null],
    [{ status: 503 }, "unavailable", "5"],
    [{ status: 503, retryAfterSeconds: 2 }, "unavailable", "2"],
    [{ code: "version_conflict" }, "version_conflict", null],
  ] as const)("%j is refused as the server would: %s", async (fault, code, retryAfter) => {
    registry.fail(fault);
    const answer = await registry.fetch(`${registry.baseUrl}/api/v1/prompts/ada/greeting`);
    expect(await answer.json()).toMatchObject({ error: { code, requestId: expect.any(String) } });
    expect(answer.headers.get("retry-after")).toBe(retryAfter);
    expect(await codeOf(client.prompts.get(greeting))).toBe(code);
  });

  test.each([[{ status: 502 }], [{ status: 404, html: true }]])(
    "%j is the page of a proxy",
    async (fault) => {
      registry.fail(fault);
      const answer = await registry.fetch(`${registry.baseUrl}/api/v1/prompts/ada/greeting`);
      expect(answer.status).toBe(fault.status);
      expect(answer.headers.get("content-type")).toBe("text/html");
      expect(await answer.text()).toContain(`<h1>${fault.status} `);
    },
  );

  test("is no success", () => {
    expect(() => registry.fail({ status: 200 })).toThrow("from 400 to 599");
  });

  test("that cuts before the server leaves nothing done, and after it leaves all", async () => {
    registry.fail({ cut: "before" }, { times: 1 });
    await expect(create(client, "before")).rejects.toBeInstanceOf(ConnectionError);
    registry.fail({ cut: "after" }, { times: 1 });
    await expect(create(client, "after")).rejects.toBeInstanceOf(ConnectionError);
    expect(registry.requests.map(({ status }) => status)).toEqual([null, null]);
    const { items } = await client.prompts.list({ query: { owner: owner.handle } });
    expect(items.map(({ slug }) => slug)).toEqual(["after"]);
  });

  test("that cuts during the answer leaves half of its body", async () => {
    registry.fail({ cut: "during" });
    const response = await registry.fetch(`${registry.baseUrl}/api/v1/openapi.json`);
    expect(response.ok).toBe(true);
    await expect(response.json()).rejects.toThrow(new TypeError("terminated"));
  });

  test("that delays ends as soon as somebody gives up", async () => {
    registry.fail({ delayMs: 3_600_000 });
    const aborter = new AbortController();
    const reason = new Error("too slow");
    const answer = registry.fetch(`${registry.baseUrl}/healthz`, { signal: aborter.signal });
    aborter.abort(reason);
    await expect(answer).rejects.toBe(reason);
  });

  test("that delays can be refused besides", async () => {
    registry.fail({ delayMs: 1, status: 503 });
    expect(await codeOf(client.prompts.get(greeting))).toBe("unavailable");
  });

  test("comes as often as asked, on the requests it is for, one fault after the other", async () => {
    await create();
    registry.fail({ status: 503 }, { times: 2, on: "prompts.get" });
    registry.fail({ status: 429 }, { times: 1, on: ({ url }) => url.endsWith("/greeting") });
    expect(await codeOf(client.webhooks.list({}))).toBe("fine");
    const codes = [];
    for (let i = 0; i < 4; i++) codes.push(await codeOf(client.prompts.get(greeting)));
    expect(codes).toEqual(["unavailable", "unavailable", "rate_limited", "fine"]);
  });

  test("is gone once healed", async () => {
    registry.fail({ cut: "before" });
    expect(await codeOf(client.webhooks.list({}))).not.toBe("fine");
    registry.heal();
    expect(await codeOf(client.webhooks.list({}))).toBe("fine");
  });

  test("is survived by a client that tries again, which does nothing twice", async () => {
    const patient = createClient({ ...registry, token: owner.token, retries: 2 });
    registry.fail({ cut: "after" }, { times: 1 });
    expect((await create(patient)).ref).toBe(`${owner.handle}/greeting`);
    expect(registry.requests.map(({ status }) => status)).toEqual([null, 201]);
  });
});

describe("its clock", () => {
  useRegistryForEachTest();

  test("stands still where it is set, and is turned on from there", async () => {
    await registry.clock.set("2031-05-01T12:00:00Z");
    expect((await create()).createdAt).toBe("2031-05-01T12:00:00.000Z");
    await registry.clock.advance(90_000);
    expect((await create(client, "later")).createdAt).toBe("2031-05-01T12:01:30.000Z");
    await expect(registry.clock.set("noon")).rejects.toThrow(RangeError);
  });

  test("is not that of the process, which a test can turn besides", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    try {
      vi.setSystemTime("2031-05-01");
      expect((await create()).createdAt).not.toContain("2031");
    } finally {
      vi.useRealTimers();
    }
  });

  test("runs on where it was advanced while it ran", async () => {
    const hourMs = 3_600_000;
    const earlier = Date.parse((await create()).createdAt);
    await registry.clock.advance(hourMs);
    await registry.clock.advance(hourMs);
    const later = Date.parse((await create(client, "later")).createdAt);
    expect(later - earlier).toBeGreaterThanOrEqual(2 * hourMs);
    expect(Date.parse((await create(client, "after-that")).createdAt)).toBeGreaterThan(later);
  });
});

describe("its deliveries", () => {
  useRegistryForEachTest();

  let receiver: Server;
  let received: string[];
  let status: number;

  beforeEach(async () => {
    received = [];
    status = 200;
    receiver = createServer((request, response) => {
      received.push(String(request.headers["service-event"]));
      response.writeHead(status).end();
    });
    const url = await listen(receiver);
    await client.webhooks.create({ body: { url } });
    await create();
  });
  afterEach(() => {
    receiver.closeAllConnections();
    receiver.close();
  });

  test("come to a receiver on this machine when a test wants them, and once", async () => {
    await commit("Hi {{name}}");
    expect(received).toEqual([]);
    await registry.deliver();
    expect(received).toEqual(["prompt.version.created", "prompt.version.created"]);
    await registry.deliver();
    expect(received).toHaveLength(2);
  });

  test("come though its clock was turned back to before their webhook was made", {
    tags: "long",
  }, async () => {
    await registry.deliver();
    received = [];
    await registry.clock.set("2021-05-01T12:00:00Z");
    await commit("Hi {{name}}");
    await registry.deliver();
    expect(received).toEqual(["prompt.version.created"]);
  });

  test("are tried again when they are due by its clock", { tags: "long" }, async () => {
    await registry.clock.set("2031-05-01T12:00:00Z");
    await registry.deliver();
    received = [];
    status = 503;
    await commit("Hi {{name}}");
    await registry.deliver();
    await registry.deliver();
    expect(received).toEqual(["prompt.version.created"]);
    status = 200;
    await registry.clock.advance(60_000);
    await registry.deliver();
    expect(received).toEqual(["prompt.version.created", "prompt.version.created"]);
  });
});
