// oxlint-disable vitest/no-conditional-tests -- which tests an operation has follows from what it declares
import {
  contract,
  errorCatalogue,
  errorsOf,
  listOperations,
  mediaList,
  type Operation,
  type OperationId,
  type RateLimits,
  rateLimits,
  type Scope,
  type Kind,
  kindsOf,
} from "@promptreg/core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, type Person, startTestServer, type TestServer } from "../test/harness.ts";
import { addressOf, exchange, leastRequest, type Parts, requestsOf } from "../test/requests.ts";
import { notifyDisabled } from "./groups/notifications/index.ts";
import { printToken } from "./groups/notifications/token.ts";
import { createRateLimiter } from "./kernel/rate-limit.ts";
import { makeToken } from "./kernel/token.ts";

let server: TestServer;
let alice: Person;
let mallory: Person;

beforeAll(async () => {
  server = await startTestServer();
  const { context } = server;
  const most = { quota: 1_000_000, windowSeconds: 60 };
  const limits = Object.fromEntries(
    Object.entries(rateLimits).map(([name, { per }]) => [name, { per, ...most }]),
  ) as unknown as RateLimits;
  context.limiter = createRateLimiter({ ...context, limits });
  await context.limiter.start();
  context.limiter.stop();
  alice = await server.join("alice", { scopes: ["read", "write", "evals:write"] });
  mallory = await server.join("mallory", { scopes: ["read", "write", "evals:write"] });
  const paged = { kind: "text", slug: "paged", title: "Paged", files };
  await alice.request("POST /prompts", { body: paged });
  const second = { files: [{ path: "PROMPT.md", content: "Hi {{name}}" }] };
  await alice.request("POST /prompts/alice/paged/versions", { body: second });
});
afterAll(() => server.stop());

/** Something to act on: how a path names it, and how a field of the query or body does. */
interface Scene {
  params: Record<string, unknown>;
  text: string;
}
const files = [{ path: "PROMPT.md", content: "Hello {{name}}" }];
let scenes = 0;

/** A prompt with all that a path can name below it: version 1, and a label, at version 2. */
async function makePrompt(visibility = "public"): Promise<Scene> {
  const slug = `scene-${++scenes}`;
  const body = { kind: "text", slug, title: "A scene", visibility, files };
  expect((await alice.request("POST /prompts", { body })).status).toBe(201);
  const second = { files: [{ path: "PROMPT.md", content: "Hi {{name}}" }], labels: ["production"] };
  expect((await alice.request(`POST /prompts/alice/${slug}/versions`, { body: second })).status).toBe(201);
  return {
    params: { owner: "alice", slug, n: 1, name: "production", path: "PROMPT.md", range: "1..production" },
    text: `alice/${slug}`,
  };
}

async function makeRun(visibility?: string): Promise<Scene> {
  const { text } = await makePrompt(visibility);
  const { json } = await alice.request("POST /evals/runs", {
    body: { prompt: text, versionNumber: 1, model: "m" },
  });
  return { params: { id: json.id }, text };
}

/** A webhook with a delivery, which are alice's alone. */
async function makeWebhook(): Promise<Scene> {
  // An account has room for twenty; those of the scene before this one are still acted on.
  await server.sql`
    update webhooks set deleted_at = clock()
    where id in (select id from webhooks where user_id = ${alice.id} order by id desc offset 5)`;
  const { json } = await alice.request("POST /webhooks", { body: { url: "http://127.0.0.1:9/hook" } });
  const ping = await alice.request(`POST /webhooks/${json.id}/test`);
  return { params: { id: json.id, deliveryId: ping.json.id }, text: json.id };
}

/** One of each kind of target, whose owner is alice. Prompts, and what follows them, can be private. */
const stage: Record<Kind, (visibility?: string) => Promise<Scene>> = {
  prompt: makePrompt,
  version: makePrompt,
  run: makeRun,
  user: async () => ({ params: { handle: "alice" }, text: "alice" }),
  webhook: makeWebhook,
};
/** Accounts are never hidden. */
const isAlwaysSeen = (on: Kind) => on === "user";
const remove = ({ text }: Scene) =>
  server.sql`update prompts set deleted_at = clock() where slug = ${text.split("/")[1] ?? ""}`;

/** What a schema cannot say of a body: only for operations whose least body is not yet one that succeeds. */
const sensible: Partial<Record<OperationId, object>> = {
  "prompts.create": { kind: "text", title: "A prompt", files },
  "prompts.versions.create": { files: [{ path: "PROMPT.md", content: "Hello again, {{name}}" }] },
  "prompts.labels.put": { versionNumber: 1 },
  "webhooks.create": { url: "http://127.0.0.1:9/hook" },
  "evals.runs.create": { versionNumber: 1 },
  "notifications.markRead": { all: true },
};
/** Writes that answer what was sent, and what the act came to: an id, a number, a count, a time. `/me` is every token's. */
const echoing: OperationId[] = [
  "prompts.create",
  "prompts.draft.put",
  "prompts.versions.create",
  "webhooks.create",
  "users.me.update",
  "watch.put",
  "notifications.markRead",
];
/** A link that a mail to alice would hold. */
const link = () => ({
  t: printToken(server.context.secrets, { user: alice.id, list: "prompt.deleted", exp: 4e9 }),
});
const sensibleQuery: Partial<Record<OperationId, () => object>> = {
  "notifications.unsubscribePage": link,
  "notifications.unsubscribe": link,
};

/** What a list needs beyond its scene to hold two items. */
const fillings: Partial<Record<OperationId, (scene: Scene) => Promise<unknown>>> = {
  "prompts.list": async () => {
    for (const _ of [1, 2]) await makePrompt();
  },
  "prompts.labels.list": ({ text }) =>
    alice.request(`PUT /prompts/${text}/labels/staging`, { body: { versionNumber: 1 } }),
  "prompts.labels.history": ({ text }) =>
    alice.request(`PUT /prompts/${text}/labels/production`, { body: { versionNumber: 1 } }),
  "evals.runs.list": async ({ text }) => {
    const body = { prompt: text, versionNumber: 1, model: "m" };
    for (const _ of [1, 2]) await alice.request("POST /evals/runs", { body });
  },
  "evals.runs.results": ({ params }) => {
    const results = ["a", "b"].map((caseKey, index) => ({ caseKey, index, status: "passed" }));
    return alice.request(`POST /evals/runs/${String(params["id"])}/results`, { body: { results } });
  },
  "notifications.list": async () => {
    for (const _ of [1, 2]) {
      const { text: webhookId } = await makeWebhook();
      await server.sql.begin((sql) => notifyDisabled(sql, server.context, { webhookId }));
    }
  },
  "watch.list": () => makePrompt(),
  "webhooks.list": async () => {
    for (const _ of [1, 2]) await makeWebhook();
  },
  "webhooks.deliveries.list": ({ text }) => alice.request(`POST /webhooks/${text}/test`),
};

const operations = listOperations(contract);
const isList = ({ query }: Operation) => Object.hasOwn((query as { shape?: object })?.shape ?? {}, "cursor");
const kindOf = ({ access: { on = {} } }: Operation): Kind | undefined => kindsOf({ on })[0];
const allowOf = ({ access: { on = {} } }: Operation) => {
  const [allowed] = Object.values(on);
  return allowed === "viewers" ? undefined : allowed;
};
const methodOf = ({ route }: Operation) => route.split(" ")[0] ?? "";
const pathOf = ({ route }: Operation) => route.split(" ")[1] ?? "";

/** The least request of an operation, about a scene where it has a target. */
function request(id: string, operation: Operation, scene?: Scene): Parts {
  const least = leastRequest(operation);
  const { from = "" } = operation.access;
  const named = scene && from ? { [from.split(".")[1] ?? ""]: scene.text } : {};
  return {
    params: { ...least.params, ...scene?.params },
    query: {
      ...least.query,
      ...sensibleQuery[id as OperationId]?.(),
      ...(from.startsWith("query") && named),
    },
    body: least.body && {
      ...least.body,
      ...sensible[id as OperationId],
      ...(from.startsWith("body") && named),
    },
  };
}

interface Sending {
  headers?: Record<string, string>;
  /** In place of the body of the request. */
  body?: unknown;
  method?: string;
  query?: Record<string, unknown>;
}

/** A body as it is put into its request: a form takes texts. */
function encoded({ body: media }: Operation, body: unknown): unknown {
  if (mediaList(media)[0]?.kind !== "form" || typeof body !== "object" || body === null) return body;
  return new URLSearchParams(Object.entries(body).map(([name, value]) => [name, String(value)]));
}

/** Sends a request in somebody's name, or in nobody's. */
const send = (
  who: Person | null,
  operation: Operation,
  parts: Parts,
  { headers = {}, method = methodOf(operation), query = {}, ...sent }: Sending = {},
): Promise<Answer> => {
  const body = "body" in sent ? sent.body : encoded(operation, parts.body);
  const address = addressOf(operation, { params: parts.params, query: { ...parts.query, ...query } });
  return exchange(server.url, `${method} ${address}`, { token: who?.token, headers, body });
};

function expectError(answer: Answer, code: keyof typeof errorCatalogue): void {
  expect([answer.status, answer.json?.error.code]).toEqual([errorCatalogue[code].status, code]);
  expectEnvelope(answer);
}

/** The one shape of every error. */
function expectEnvelope({ json, headers }: Answer): void {
  expect(Object.keys(json)).toEqual(["error"]);
  const { code, message, requestId, details = [], ...rest } = json.error;
  expect([rest, requestId]).toEqual([{}, headers.get("x-request-id")]);
  expect(errorCatalogue).toHaveProperty(code);
  expect(message).toMatch(/\S/);
  for (const detail of details) {
    expect(detail).toEqual({
      path: expect.any(String),
      code: expect.any(String),
      message: expect.any(String),
    });
  }
}

const scopesWithout = (needed: Scope): Scope[] =>
  (["read", "write", "evals:write"] as const).filter(
    (scope) => scope !== needed && !(needed === "evals:write" && scope === "write"),
  );

describe.each(operations)("$id", ({ id, operation }) => {
  const { auth, scope, from } = operation.access;
  const on = kindOf(operation);
  const allow = allowOf(operation);
  const isWrite = methodOf(operation) !== "GET";
  const [medium] = mediaList(operation.body);
  const type = medium?.type ?? "";
  let scene: Scene | undefined;
  let parts: Parts;

  beforeAll(async () => {
    scene = on && (await stage[on]());
    parts = request(id, operation, scene);
  });

  if (auth === "required") {
    test("needs a token", async () => {
      const answer = await send(null, operation, parts);
      expectError(answer, "unauthenticated");
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    });
  }

  test("refuses a token that is malformed, unknown, expired or revoked", async () => {
    const expired = await server.join("expired");
    await server.sql`update tokens set expires_at = clock() - interval '1 second' where user_id = ${expired.id}`;
    const revoked = await server.join("revoked");
    await server.sql`update tokens set revoked_at = clock() where user_id = ${revoked.id}`;
    const mistyped = `${alice.token.slice(0, -1)}${alice.token.endsWith("0") ? "1" : "0"}`;
    const tokens = ["", "x", mistyped, makeToken(), expired.token, revoked.token].map(
      (token) => `Bearer ${token}`,
    );
    for (const authorization of [...tokens, "Basic YTpi", alice.token]) {
      expectError(await send(null, operation, parts, { headers: { authorization } }), "invalid_token");
    }
  });

  if (scope !== "none") {
    test(`needs the scope ${scope}`, async () => {
      const weak = await server.join("weak", { scopes: scopesWithout(scope) });
      const headers = { "x-request-id": "the-same-for-both" };
      const answer = await send(weak, operation, parts, { headers });
      if (auth === "required") expectError(answer, "token_scope");
      else {
        const { status, text } = await send(null, operation, parts, { headers });
        expect([answer.status, answer.text]).toEqual([status, text]);
      }
    });
  }

  if (isWrite) {
    test("is closed to a suspended account", async () => {
      const suspended = await server.join("suspended", {
        scopes: ["read", "write", "evals:write"],
        suspended: true,
      });
      expectError(await send(suspended, operation, parts), "account_suspended");
    });
  }

  if (isWrite && scope === "write") {
    test("tells a token that may not read nothing that it did not send", async () => {
      const blind = await server.join(on ? "alice" : "blind", { scopes: ["write"] });
      const about = request(id, operation, on && (await stage[on]("private")));
      const { status, text } = await send(blind, operation, about);
      if (echoing.includes(id as OperationId)) expect(operation.results).toHaveProperty(`${status}`);
      else expect([status, text]).toEqual([204, ""]);
    });
  }

  if (on !== undefined && !isAlwaysSeen(on)) {
    test("answers about what the caller may not know of as about what is not there", async () => {
      const hidden = request(id, operation, await stage[on]("private"));
      const absent = request(id, operation, {
        params: { owner: "alice", slug: "nothing", n: 1, id: leastRequest(operation).params["id"] },
        text: "alice/nothing",
      });
      const answers = [await send(mallory, operation, hidden), await send(mallory, operation, absent)];
      for (const answer of answers) {
        expectError(answer, "not_found");
        answer.json.error.requestId = "";
      }
      expect(answers[0]?.json).toEqual(answers[1]?.json);
    });
  }

  if (on !== undefined && errorsOf(operation).includes("gone")) {
    test("answers that its target is gone to whoever could see it, and to nobody else", async () => {
      const removed = await stage[on]();
      await remove(removed);
      for (const who of [alice, mallory])
        expectError(await send(who, operation, request(id, operation, removed)), "gone");
      const secret = await stage[on]("private");
      await remove(secret);
      expectError(await send(alice, operation, request(id, operation, secret)), "gone");
      expectError(await send(mallory, operation, request(id, operation, secret)), "not_found");
    });
  }

  if (on !== undefined && allow !== undefined) {
    test(`lets nobody but ${allow.join(", ")} act on what others see`, async () => {
      expectError(await send(mallory, operation, parts), "forbidden");
    });
  }

  if (on !== undefined && from === undefined) {
    test("takes an address of a wrong form for one of nothing", async () => {
      for (const [, name = ""] of pathOf(operation).matchAll(/\{(\w+)\}/g)) {
        for (const wrong of ["%00", "Ä Ö", "-", `${String(parts.params[name])}é`, "x".repeat(300)]) {
          const answer = await send(alice, operation, {
            ...parts,
            params: { ...parts.params, [name]: wrong },
          });
          // A range is a question put into a path: one of a wrong form is a mistake in it, not a thing that is not there.
          expectError(answer, name === "range" ? "validation_failed" : "not_found");
        }
      }
    });
  }

  test("refuses a query parameter that it does not take, by name", async () => {
    const answer = await send(alice, operation, parts, { query: { nonsense: "1" } });
    expectError(answer, "validation_failed");
    expect(answer.json.error.details).toMatchObject([{ path: "/nonsense", code: "unrecognized_keys" }]);
  });

  test("ignores where a link was clicked", async () => {
    const query = { utm_source: "mail", utm_campaign: "x" };
    // A write is done once, to something of its own, or by somebody else: others act on the scene after this.
    const who = on ? alice : mallory;
    const asked = isWrite ? request(id, operation, on && (await stage[on]())) : parts;
    const decorated = await send(who, operation, asked, { query });
    expect(Object.keys(operation.results).map(Number)).toContain(decorated.status);
    if (isWrite) return;
    const bare = await send(who, operation, parts);
    expect([decorated.status, decorated.text]).toEqual([bare.status, bare.text]);
    expect(decorated.headers.get("etag")).toBe(bare.headers.get("etag"));
  });

  if (medium?.kind === "json") {
    const sendRaw = (body: unknown, headers: Record<string, string> = { "content-type": type }) =>
      send(alice, operation, parts, { body, headers });

    test("refuses a field that it does not take, by name", async () => {
      const answer = await send(alice, operation, parts, {
        body: { ...(parts.body as object), nonsense: 1 },
      });
      expectError(answer, "validation_failed");
      expect(answer.json.error.details).toContainEqual({
        path: "/nonsense",
        code: "unrecognized_keys",
        message: expect.any(String),
      });
    });

    test("refuses a body in another content type, or in none", async () => {
      for (const other of ["text/plain", "application/xml", ""]) {
        expectError(
          await sendRaw(JSON.stringify(parts.body), { "content-type": other }),
          "unsupported_media_type",
        );
      }
    });

    test("refuses a body that is no JSON", async () => {
      for (const broken of ["", "{", "{}x", "NaN", "\ufeff\ufeff{}"])
        expectError(await sendRaw(broken), "invalid_json");
    });

    test("refuses a body over its limit, promised or not", async () => {
      const tooLong = new Uint8Array(medium.maxBytes + 1).fill(0x20);
      expectError(await sendRaw(tooLong), "payload_too_large");
      const response = await fetch(`${server.url}/api/v1${addressOf(operation, parts)}`, {
        method: methodOf(operation),
        headers: { authorization: `Bearer ${alice.token}`, "content-type": type },
        body: new Blob([tooLong]).stream(),
        duplex: "half",
      } as RequestInit);
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ error: { code: "payload_too_large" } });
    });
  }

  test("answers any other method with those there are", async () => {
    const siblings = operations.filter((other) => pathOf(other.operation) === pathOf(operation));
    const own = siblings.map((other) => methodOf(other.operation));
    const allowed = own.includes("GET") ? [...own, "HEAD"] : own;
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].filter(
      (name) => !allowed.includes(name),
    )) {
      const answer = await send(alice, operation, parts, { method, body: undefined });
      expect([method, answer.status]).toEqual([method, 405]);
      expect(answer.headers.get("allow")?.split(", ").sort()).toEqual([...allowed].sort());
    }
  });

  test("keeps the request id it is given, and makes one otherwise", async () => {
    const given = await send(null, operation, parts, { headers: { "x-request-id": "given-by-us" } });
    expect(given.headers.get("x-request-id")).toBe("given-by-us");
    const made = await send(null, operation, parts, { headers: { "x-request-id": "short" } });
    expect(made.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  if (!isWrite) {
    test("answers HEAD as GET, without the body", async () => {
      const headers = { "x-request-id": "the-same-for-both" };
      const got = await send(alice, operation, parts, { headers });
      const head = await send(alice, operation, parts, { method: "HEAD", headers });
      expect([head.status, head.text]).toEqual([got.status, ""]);
      for (const name of ["content-type", "etag", "cache-control", "vary", "x-request-id"]) {
        expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
      }
    });

    test("answers 304 to whoever holds its tag, with the same rules for caches, and to nobody else", async () => {
      const { headers } = await send(alice, operation, parts);
      const etag = headers.get("etag");
      if (etag === null) return;
      for (const ifNoneMatch of [etag, "*"]) {
        const held = await send(alice, operation, parts, { headers: { "if-none-match": ifNoneMatch } });
        expect([held.status, held.text]).toEqual([304, ""]);
        for (const name of ["etag", "cache-control", "vary"])
          expect([name, held.headers.get(name)]).toEqual([name, headers.get(name)]);
      }
      expect((await send(alice, operation, parts, { headers: { "if-none-match": '"other"' } })).status).toBe(
        200,
      );
    });
  }

  if (isList(operation)) {
    test("refuses a cursor that is none, or of another list", async () => {
      const other = await exchange(server.url, "GET /prompts/alice/paged/versions?limit=1", {});
      for (const cursor of ["x", "", other.json.nextCursor]) {
        expectError(await send(alice, operation, parts, { query: { cursor } }), "invalid_cursor");
      }
    });

    test("gives as many as are asked for, and refuses to give none or too many", async () => {
      await fillings[id as OperationId]?.(scene ?? { params: {}, text: "" });
      for (const limit of [1, 2]) {
        const { json } = await send(alice, operation, parts, { query: { limit } });
        expect(json.items).toHaveLength(limit);
      }
      for (const limit of [0, 501, -1, "all"]) {
        expectError(await send(alice, operation, parts, { query: { limit } }), "validation_failed");
      }
    });
  }

  if (isWrite && methodOf(operation) !== "POST") {
    test("changes nothing for whoever holds an older state of it", async () => {
      const stale = await send(alice, operation, parts, { headers: { "if-match": '"stale"' } });
      expectError(stale, "precondition_failed");
    });
  }

  test("may be called by pages of any origin, which may read its answer", async () => {
    const asked = await send(null, operation, parts, {
      method: "OPTIONS",
      body: undefined,
      headers: { origin: "https://app.example", "access-control-request-method": methodOf(operation) },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-methods")?.split(", ")).toContain(methodOf(operation));
    for (const answer of [asked, await send(null, operation, parts)]) {
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    }
  });

  // The server itself checks, while these tests run, that every answer fits the schema of its status.
  test("succeeds for the owner, with every time in UTC and to the millisecond, and tells of a limit", async () => {
    const headers = { "idempotency-key": id };
    const answer = await send(alice, operation, parts, { headers });
    expect(Object.keys(operation.results).map(Number)).toContain(answer.status);
    expectTimes(answer.json);
    const isKept = answer.headers.get("cache-control")?.startsWith("public") ?? false;
    expect(answer.headers.has("ratelimit")).toBe(!isKept);
    const isUpload = mediaList(operation.body).some(({ kind }) => kind === "multipart");
    if (methodOf(operation) !== "POST" || isUpload) return;
    // What is shown once is not shown again.
    const again = await send(alice, operation, parts, { headers });
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([answer.status, "true"]);
    expect(again.json).toEqual(answer.json && { ...answer.json, secret: undefined });
  });
});

/** Every field of a time, and every text that begins like one. */
function expectTimes(value: unknown, name = ""): void {
  if (typeof value === "string" && (name.endsWith("At") || /^\d{4}-\d\d-\d\dT\d\d:/.test(value))) {
    expect(value).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, item] of Object.entries(value)) expectTimes(item, key);
  }
}

describe("whatever is sent,", () => {
  /** `npm run prove -- contract` asks for many more. */
  const runsOfEach = Number(process.env["CONTRACT_RUNS"] ?? 40);
  let sent = 0;

  afterAll(() => {
    process.stdout.write(`contract: ${sent} generated requests to ${operations.length} operations\n`);
  });

  test.each(operations)(
    "$id answers as it declares, and never with a fault of ours",
    async ({ id, operation }) => {
      const on = kindOf(operation);
      const scene = on && (await stage[on]());
      const whole = requestsOf(operation, "any").map((parts): Parts => {
        const about = request(id, operation, scene);
        return {
          params: { ...parts.params, ...scene?.params },
          query: { ...parts.query, ...about.query },
          body: parts.body && { ...(about.body as object), ...parts.body },
        };
      });
      const requests = fc.oneof(requestsOf(operation, "any"), whole, whole.chain(withOneChange));
      await fc.assert(
        fc.asyncProperty(requests, fc.constantFrom(alice, mallory, null), async (parts, who) => {
          sent += 1;
          const answer = await send(who, operation, parts);
          expect(answer.status).toBeLessThan(500);
          const isError = answer.status >= 400 && operation.results[answer.status] === undefined;
          if (isError) expectEnvelope(answer);
          else if (answer.json !== undefined) expectTimes(answer.json);
        }),
        { numRuns: runsOfEach },
      );
    },
  );
});

const oddValues = fc.oneof(
  fc.constantFrom(
    null,
    "",
    -1,
    0,
    1.5,
    2 ** 31,
    1e308,
    -0,
    true,
    [],
    {},
    "\0",
    "\ud800",
    "x".repeat(70_000),
    "__proto__",
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.integer({ min: 20, max: 200 }).map((depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth))),
);

/** Puts something odd in one place of a request, or takes that place away. */
function withOneChange(parts: Parts): fc.Arbitrary<Parts> {
  const places = placesOf(parts.body, ["body"]).concat(
    ...(["params", "query"] as const).map((part) => Object.keys(parts[part]).map((name) => [part, name])),
  );
  if (places.length === 0) return fc.constant(parts);
  return fc
    .tuple(fc.constantFrom(...places), fc.option(oddValues, { nil: undefined }))
    .map(([place, odd]) => {
      const [part] = place;
      // Only JSON knows more than text, and a path has no place that could be left out.
      const value =
        part === "body" ? odd : typeof odd === "string" && odd.isWellFormed() ? odd.slice(0, 2000) : "odd";
      return put(parts, place, value) as Parts;
    });
}

const placesOf = (value: unknown, at: string[]): string[][] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, item]) => [[...at, key], ...placesOf(item, [...at, key])])
    : [];

function put(value: unknown, [first, ...rest]: string[], odd: unknown): unknown {
  if (first === undefined) return odd;
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
  (copy as Record<string, unknown>)[first] = put((value as Record<string, unknown>)[first], rest, odd);
  return copy;
}
