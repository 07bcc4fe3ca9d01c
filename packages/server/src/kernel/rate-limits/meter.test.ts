import { rateLimits } from "@promptreg/core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FixtureServer, startFixtures } from "../../../test/fixtures.ts";
import { publish } from "../../../test/prompts.ts";
import { fanOut } from "../../../test/notified.ts";
import { readProxies } from "../http/client-address.ts";
import { Meter } from "./meter.ts";
import { RateLimited } from "./rate-counts.ts";
import { createRateLimiter, type RateLimiter } from "./rate-limit.ts";

let server: FixtureServer;
let limiter: RateLimiter;

beforeAll(async () => {
  server = await startFixtures();
});
afterAll(() => server.stop());

/** Each test starts with no counts, early in a minute. */
beforeEach(async () => {
  const { context, sql } = server.real;
  await sql`truncate rate_counts`;
  await server.real.setClock("2026-11-20T09:00:01Z");
  const read = { per: "token", quota: 5, windowSeconds: 60 } as const;
  const write = { per: "token", quota: 3, windowSeconds: 60 } as const;
  const anon = { per: "ip", quota: 4, windowSeconds: 60 } as const;
  const ip = { per: "ip", quota: 40, windowSeconds: 60 } as const;
  limiter = createRateLimiter({ ...context, limits: { ...rateLimits, ip, anon, read, write } });
  await limiter.start();
  limiter.stop();
  context.limiter = limiter;
});
afterAll(() => {
  server.real.context.limiter = null;
});

const statuses = async (count: number, route: string, call: Parameters<FixtureServer["request"]>[1] = {}) => {
  const answers = [];
  for (let i = 0; i < count; i++) answers.push((await server.request(route, call)).status);
  return answers;
};

test("a request counts once under its operation's policy, though a replica failed and the primary reads again", async () => {
  const counted = { per: "token", quota: 3, windowSeconds: 60 } as const;
  const own = createRateLimiter({ ...server.real.context, limits: { ...rateLimits, search: counted } });
  await own.start();
  own.stop();
  const ids = { target: undefined, account: undefined };
  for (const left of [2, 1, 0]) {
    const meter = new Meter(own, "192.0.2.1");
    for (let time = 0; time < 2; time++) meter.add("search", ids);
    expect(meter.fields()?.["ratelimit"]).toContain(`r=${left};`);
  }
  expect(() => new Meter(own, "192.0.2.1").add("search", ids)).toThrow(RateLimited);
});

describe("a caller over a limit", () => {
  test("without a token gets 429, with the time until the next request passes", async () => {
    expect(await statuses(5, "GET /tagged/a")).toEqual([200, 200, 200, 200, 429]);
    const { status, headers, json } = await server.request("GET /tagged/a");
    expect([status, json.error.code]).toEqual([429, "rate_limited"]);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("ratelimit-policy")).toBe('"anon";q=4;w=60');
    const [, left, seconds] = /^"anon";r=(\d+);t=(\d+)$/.exec(headers.get("ratelimit") ?? "") ?? [];
    expect([left, seconds]).toEqual(["0", headers.get("retry-after")]);
    const passes = new Date(Date.parse("2026-11-20T09:00:01Z") + Number(seconds) * 1000 + 500).toISOString();
    await server.real.setClock(passes);
    await limiter.reconcile();
    expect(await statuses(2, "GET /tagged/a")).toEqual([200, 429]);
  });

  test("with a token gets 429 for that token only", async () => {
    const [alice, bob] = [await server.real.join("alice"), await server.real.join("bob")];
    expect(await statuses(6, "GET /tagged/a", { token: alice.token })).toEqual([
      200, 200, 200, 200, 200, 429,
    ]);
    expect(await statuses(1, "GET /tagged/a", { token: bob.token })).toEqual([200]);
    expect(await statuses(1, "POST /touch", { token: alice.token })).toEqual([204]);
  });

  test("of writes can still read", async () => {
    const { token } = await server.real.join("alice");
    expect(await statuses(4, "POST /touch", { token })).toEqual([204, 204, 204, 429]);
    expect(await statuses(1, "GET /tagged/a", { token })).toEqual([200]);
  });

  test("changes nothing with refused requests", async () => {
    const { token, id } = await server.real.join("carol");
    await statuses(5, "POST /touch", { token });
    const [row] = await server.real.sql`select count(*)::int as count from audit_log where actor_id = ${id}`;
    expect(row).toEqual({ count: 3 });
  });

  test("of its address is refused with any number of tokens", async () => {
    const answers: number[] = [];
    for (let i = 0; i < 11; i++) {
      const { token } = await server.real.join(`many-${i}`);
      answers.push(...(await statuses(4, "GET /tagged/a", { token })));
    }
    expect(answers.filter((status) => status === 200)).toHaveLength(40);
    expect(answers.slice(40)).toEqual([429, 429, 429, 429]);
  });

  test("cannot escape with a forged X-Forwarded-For; a trusted proxy's counts", async () => {
    const from = (host: number) => ({ headers: { "x-forwarded-for": `198.51.100.${host}` } });
    const ask = async (host: number) => (await server.request("GET /tagged/a", from(host))).status;
    for (let host = 1; host <= 4; host++) expect(await ask(host)).toBe(200);
    expect(await ask(5)).toBe(429);
    const { context } = server.real;
    const { trustedProxies } = context;
    context.trustedProxies = readProxies("127.0.0.1");
    for (let host = 6; host <= 12; host++) expect(await ask(host)).toBe(200);
    context.trustedProxies = trustedProxies;
  });

  test("is not reached by a 304 that is known before the response is made", async () => {
    const { headers } = await server.request("GET /users/alice/stated");
    const held = { headers: { "if-none-match": headers.get("etag") ?? "" } };
    expect(await statuses(20, "GET /users/alice/stated", held)).toEqual(
      Array.from({ length: 20 }, () => 304),
    );
  });

  test.each([
    ["a list", "GET /numbers/5", undefined],
    ["a thing with an ETag of its content", "GET /words/a", undefined],
    ["If-None-Match: *", "GET /tagged/a", "*"],
  ])(
    "is reached by a 304 that is known only after the response is made: %s",
    async (_what, route, ifNoneMatch) => {
      const { status, headers } = await server.request(route);
      expect(status).toBe(200);
      const held = { headers: { "if-none-match": ifNoneMatch ?? headers.get("etag") ?? "" } };
      expect(await statuses(4, route, held)).toEqual([304, 304, 304, 429]);
    },
  );

  test("is reached by invalid requests too", async () => {
    expect(await statuses(5, "GET /numbers/5?limit=0")).toEqual([422, 422, 422, 422, 429]);
  });
});

describe("an operation with a limit of its own", () => {
  beforeEach(async () => {
    const { context } = server.real;
    limiter = createRateLimiter({ ...context, limits: rateLimits });
    await limiter.start();
    limiter.stop();
    context.limiter = limiter;
  });

  test("counts the requests that it declares, for each caller", async () => {
    const [alice, bob] = [await server.real.join("alice"), await server.real.join("bob")];
    const search = () => alice.request("GET /prompts?q=hello");
    const answers = [];
    for (let i = 0; i < 31; i++) answers.push(await search());
    expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 30 }, () => 200), 429]);
    expect(answers[0]?.headers.get("ratelimit")).toBe('"search";r=29;t=59');
    expect((await alice.request("GET /prompts")).status).toBe(200);
    expect((await bob.request("GET /prompts?q=hello")).status).toBe(200);
  });

  test("counts for each target, and not for callers without permission", async () => {
    const [alice, bob] = [await server.real.join("alice"), await server.real.join("bob")];
    const hooks = [];
    for (let i = 0; i < 2; i++) {
      const body = { url: `http://127.0.0.1:9/${i}` };
      hooks.push((await alice.request("POST /webhooks", { body })).json.id as string);
    }
    const ping = (who: typeof alice, hook = "") => who.request(`POST /webhooks/${hook}/test`);
    for (let i = 0; i < 20; i++) expect((await ping(bob, hooks[0])).status).toBe(404);
    for (let i = 0; i < 10; i++) expect((await ping(alice, hooks[0])).status).toBe(202);
    expect((await ping(alice, hooks[0])).json.error.code).toBe("rate_limited");
    expect((await ping(alice, hooks[1])).status).toBe(202);
    const [row] = await server.real.sql`
      select count(*)::int as count from deliveries where webhook_id = ${hooks[0] ?? ""}`;
    expect(row).toEqual({ count: 10 });
  });
});

test("imports count for an account, whichever token it uses", async () => {
  const { context } = server.real;
  const limits = { ...rateLimits, import: { per: "account", quota: 2, windowSeconds: 3600 } } as const;
  limiter = createRateLimiter({ ...context, limits });
  await limiter.start();
  limiter.stop();
  context.limiter = limiter;
  const [first, second] = [await server.real.join("alice"), await server.real.join("alice")];
  const bob = await server.real.join("bob");
  const create = async (who: typeof bob) => {
    const body = { source: { type: "paste", text: "Hi" } };
    return (await who.request("POST /imports", { body })).status;
  };
  expect([await create(first), await create(second), await create(first)]).toEqual([202, 202, 429]);
  expect([await create(second), await create(bob)]).toEqual([429, 202]);
});

test("the redelivery of a test counts as a test, and other redeliveries do not", async () => {
  const { context } = server.real;
  context.limiter = createRateLimiter({ ...context, limits: rateLimits });
  await context.limiter.start();
  context.limiter.stop();
  const alice = await server.real.join("alice");
  const { json: hook } = await alice.request("POST /webhooks", { body: { url: "http://127.0.0.1:9/" } });
  await publish(alice, "p");
  await fanOut(server.real);
  const [{ id: other }] = (await alice.request(`GET /webhooks/${hook.id}/deliveries`)).json.items;
  const { json: ping } = await alice.request(`POST /webhooks/${hook.id}/test`);
  const redeliver = (id: string) => alice.request(`POST /webhooks/${hook.id}/deliveries/${id}/redeliver`);
  for (let i = 0; i < 9; i++) expect((await redeliver(ping.id)).status).toBe(202);
  expect((await redeliver(ping.id)).json.error.code).toBe("rate_limited");
  expect((await alice.request(`POST /webhooks/${hook.id}/test`)).status).toBe(429);
  const { status, headers } = await redeliver(other);
  expect([status, headers.get("ratelimit-policy")]).toEqual([202, expect.stringContaining("write")]);
});

describe("a client that tries many tokens", () => {
  test("gets 429 in the end, while a valid token from the same address still passes", async () => {
    const refused = await statuses(21, "GET /tagged/a", { headers: { authorization: "Bearer nonsense" } });
    expect(refused).toEqual([...Array.from({ length: 20 }, () => 401), 429]);
    const { token } = await server.real.join("alice");
    expect(await statuses(1, "GET /tagged/a", { token })).toEqual([200]);
  });
});

describe("a response", () => {
  test("has headers about the tightest limit", async () => {
    const { token } = await server.real.join("alice");
    const { headers } = await server.request("GET /tagged/a", { token });
    expect(headers.get("ratelimit-policy")).toBe('"read";q=5;w=60');
    expect(headers.get("ratelimit")).toBe('"read";r=4;t=59');
  });

  test("that shared caches may store has no such headers", async () => {
    const { token } = await server.real.join("alice");
    for (const call of [{}, { token }]) {
      const { headers } = await server.request("GET /fixed/public", call);
      expect([headers.get("ratelimit"), headers.get("ratelimit-policy")]).toEqual([null, null]);
    }
    expect((await server.request("GET /fixed/private", { token })).headers.get("ratelimit")).not.toBeNull();
  });

  test("that is an error has them too", async () => {
    const { headers } = await server.request("GET /numbers/5?limit=0");
    expect(headers.get("ratelimit")).toBe('"anon";r=3;t=59');
  });
});
