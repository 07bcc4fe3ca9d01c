import { sign } from "@promptreg/core/webhooks";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type ClientOptions, createClient, type Lockfile, NotLockedError, readLockfile } from "../index.ts";

const origin = "http://registry.test";
const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  requests = [];
});
afterEach(() => {
  vi.useRealTimers();
  server.resetHandlers();
});
afterAll(() => server.close());

let requests: Request[];
const seconds = (count: number) => vi.setSystemTime(Date.now() + count * 1000);
const settled = () => vi.waitFor(() => expect(requests.length).toBeGreaterThan(0));

function versionOf(n: number, content = `Version ${n} for {{name}}.`) {
  const variables = [{ name: "name", type: "text", required: true, default: null }];
  return {
    id: `ver_${n}`,
    n,
    promptId: "prm_1",
    entry: "PROMPT.md",
    files: [{ path: "PROMPT.md", encoding: "utf8", content }],
    variables,
    config: { model: "m" },
  };
}
const resolvedTo = (n: number | null) => () =>
  HttpResponse.json(
    {
      ref: "ada/reply",
      resolvedBy: { type: "label", value: "production" },
      yanked: false,
      version: n && versionOf(n),
    },
    { headers: { etag: `"v${n}"` } },
  );
const refused =
  (status: number, code: string, headers = {}) =>
  () =>
    HttpResponse.json({ error: { code, message: "No.", requestId: "r" } }, { status, headers });
const down = () => HttpResponse.error();
const page = (status: number) => () =>
  new HttpResponse("<h1>nginx</h1>", { status, headers: { "content-type": "text/html" } });

/** Answers whatever is asked, until the next one. A request with the current ETag gets 304, as the registry does. */
function serve(answer: () => Response | Promise<Response>): void {
  server.use(
    http.all(`${origin}/*`, async ({ request }) => {
      requests.push(request);
      const response = await answer();
      const etag = response.headers.get("etag");
      const isKnown = etag !== null && request.headers.get("if-none-match") === etag;
      return isKnown ? new HttpResponse(null, { status: 304, headers: { etag } }) : response;
    }),
  );
}
const clientOf = (options: ClientOptions = {}) =>
  createClient({ baseUrl: origin, token: "prt_test", retries: 0, ...options });
const pinnedTo = (n: number) => () => HttpResponse.json(versionOf(n));

describe("a label", () => {
  test("is asked for once, then served from memory, with where it came from", async () => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply", { label: "production" });
    expect(await prompt.get()).toMatchObject({
      source: "network",
      version: 1,
      etag: '"v1"',
      staleReason: null,
    });
    seconds(30);
    expect(await prompt.get()).toMatchObject({
      source: "memory",
      version: 1,
      ageMs: 30_000,
      staleReason: null,
    });
    expect(requests.map(({ url }) => url)).toEqual([
      `${origin}/api/v1/prompts/ada/reply?view=version&label=production`,
    ]);
  });

  test("in its second minute is served while the registry is asked beside it, by its ETag", async () => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply@production");
    await prompt.get();
    requests = [];
    seconds(61);
    expect(await prompt.get()).toMatchObject({ version: 1, ageMs: 61_000, staleReason: "revalidating" });
    await settled();
    expect(requests[0]?.headers.get("if-none-match")).toBe('"v1"');
    await vi.waitFor(async () => expect((await prompt.get()).staleReason).toBeNull());
    expect(requests).toHaveLength(1);
  });

  test("that moved is served moved by the next get after that", async () => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply@production");
    await prompt.get();
    serve(resolvedTo(2));
    seconds(61);
    expect((await prompt.get()).version).toBe(1);
    await vi.waitFor(async () => expect((await prompt.get()).version).toBe(2));
  });

  test("that is hours old, as in a process that was frozen, is asked for before it is served", async () => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply@production");
    await prompt.get();
    serve(resolvedTo(2));
    seconds(7_200);
    expect(await prompt.get()).toMatchObject({ version: 2, source: "network", ageMs: 0 });
  });

  test("that is hours old is served after a second in which the registry does not answer", async () => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply@production");
    await prompt.get();
    const answered = Promise.withResolvers<Response>();
    serve(() => answered.promise);
    seconds(7_200);
    expect(await prompt.get()).toMatchObject({ version: 1, staleReason: "slow" });
    answered.resolve(resolvedTo(2)());
    await vi.waitFor(async () => expect((await prompt.get()).version).toBe(2));
  });

  test("is asked for once, however many wait for it", async () => {
    serve(resolvedTo(1));
    const client = clientOf();
    const gets = Array.from({ length: 1_000 }, () => client.prompt("ada/reply@production").get());
    expect(new Set((await Promise.all(gets)).map(({ version }) => version))).toEqual(new Set([1]));
    expect(requests).toHaveLength(1);
  });

  test("is asked for anew where who began to ask is gone, as a worker ends with its request", async () => {
    serve(resolvedTo(1));
    const isThere = vi.fn<() => boolean>(() => false);
    const prompt = clientOf({
      fetch: (...request) => (isThere() ? fetch(...request) : Promise.withResolvers<Response>().promise),
      timeoutMs: 60_000,
    }).prompt("ada/reply@production");
    prompt.get().catch(() => undefined);
    await vi.waitFor(() => expect(isThere).toHaveBeenCalled());
    isThere.mockReturnValue(true);
    seconds(61);
    expect(await prompt.get()).toMatchObject({ source: "network", version: 1 });
  });

  test("is not fresh for longer because the clock was put back", async () => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply@production");
    await prompt.get();
    serve(resolvedTo(2));
    seconds(-3_600);
    expect((await prompt.get()).version).toBe(2);
  });

  test("with no version left that is not yanked has nothing to serve, not even a stale one", async () => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply", { fallback: "Hello" });
    await prompt.get();
    serve(resolvedTo(null));
    seconds(7_200);
    await expect(prompt.get()).rejects.toMatchObject({ code: "not_found", status: 404 });
  });

  test.each([
    [401, "unauthenticated"],
    [403, "forbidden"],
    [404, "not_found"],
    [410, "gone"],
  ])(
    "that is answered with %d is hidden by no stale copy, no lockfile and no fallback",
    async (status, code) => {
      serve(resolvedTo(1));
      const client = clientOf({ cache: { lockfile } });
      const prompt = client.prompt("ada/reply@production", { fallback: "Hello" });
      await prompt.get();
      serve(refused(status, code));
      seconds(7_200);
      await expect(prompt.get()).rejects.toMatchObject({ name: "ApiError", status, code });
      expect(client.cache.size).toBe(0);
      await expect(prompt.get()).rejects.toMatchObject({ status, code });
    },
  );

  test("that is refused while it is revalidated is refused by the next get", async () => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply@production");
    await prompt.get();
    serve(refused(404, "not_found"));
    seconds(61);
    expect((await prompt.get()).version).toBe(1);
    await vi.waitFor(() => expect(prompt.get()).rejects.toMatchObject({ status: 404 }));
  });

  test.each([
    ["network errors", down, "unreachable"],
    ["429", refused(429, "rate_limited"), "rate_limited"],
    ["500", refused(500, "internal_error"), "server_error"],
    ["a proxy's 404", page(404), "server_error"],
    ["a proxy's page for a login", page(200), "server_error"],
  ])("is served stale through %s, and says why", async (_, answer, staleReason) => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply@production");
    await prompt.get();
    serve(answer);
    seconds(86_400);
    expect(await prompt.get()).toMatchObject({
      version: 1,
      source: "memory",
      ageMs: 86_400_000,
      staleReason,
    });
  });

  test("is served stale within maxStaleMs, and no longer", async () => {
    serve(resolvedTo(1));
    const prompt = clientOf({ cache: { maxStaleMs: 3_600_000 } }).prompt("ada/reply@production");
    await prompt.get();
    serve(down);
    seconds(3_599);
    expect(await prompt.get()).toMatchObject({ version: 1, staleReason: "unreachable" });
    seconds(2);
    await expect(prompt.get()).rejects.toMatchObject({ name: "ConnectionError" });
  });

  test("that could not be refreshed is not asked for with every get, but later and later", async () => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply@production");
    await prompt.get();
    serve(down);
    seconds(300);
    const asked: number[] = [];
    for (let second = 0; second < 300; second++) {
      requests = [];
      expect((await prompt.get()).staleReason).toBe("unreachable");
      asked.push(requests.length);
      seconds(1);
    }
    const count = asked.reduce((sum, one) => sum + one);
    expect(count).toBeGreaterThan(6);
    expect(count).toBeLessThan(20);
  });

  test("waits for as long as Retry-After says", async () => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply@production");
    await prompt.get();
    serve(refused(429, "rate_limited", { "retry-after": "120" }));
    seconds(300);
    await prompt.get();
    requests = [];
    seconds(119);
    await prompt.get();
    expect(requests).toHaveLength(0);
    seconds(2);
    await prompt.get();
    expect(requests).toHaveLength(1);
  });
});

describe("a pinned version", () => {
  test("is never asked for again", async () => {
    serve(pinnedTo(3));
    const prompt = clientOf().prompt("ada/reply@3");
    expect(await prompt.get()).toMatchObject({ source: "network", version: 3 });
    expect(new URL(requests[0]?.url ?? "").pathname).toBe("/api/v1/prompts/ada/reply/versions/3");
    serve(refused(410, "gone"));
    seconds(10 * 365 * 86_400);
    expect(await prompt.get()).toMatchObject({ source: "memory", version: 3, staleReason: null });
    expect(requests).toHaveLength(1);
  });
});

const lockfile: Lockfile = {
  lockfileVersion: 1,
  prompts: {
    "ada/reply@production": {
      ...({
        ...versionOf(7, "Locked, {{name}}."),
        contentHash: "sha256:00",
      } as never as Lockfile["prompts"][string]),
      version: 7,
    },
  },
};

describe("without the registry", () => {
  test("the lockfile stands in, and before it a copy", async () => {
    serve(down);
    const client = clientOf({ cache: { lockfile } });
    const prompt = client.prompt("ada/reply@production", { fallback: "Hello {{name}}" });
    expect(await prompt.get()).toMatchObject({ source: "lockfile", version: 7, staleReason: "unreachable" });
    serve(resolvedTo(8));
    expect((await prompt.get()).version).toBe(8);
    serve(down);
    seconds(7_200);
    expect(await prompt.get()).toMatchObject({ source: "memory", version: 8 });
  });

  test("what is locked is all that is served where one asks for that", async () => {
    const client = clientOf({ cache: { lockfile } });
    const { text } = await client.prompt("ada/reply@production", { locked: true }).compile({ name: "Ada" });
    expect(text).toBe("Locked, Ada.");
    await expect(client.prompt("ada/other", { locked: true }).get()).rejects.toThrow(NotLockedError);
    expect(requests).toHaveLength(0);
  });

  test.each([
    ["a text", "Hello {{name}}", "Hello Ada"],
    ["the messages of a chat", [{ role: "system" as const, content: "Be {{name}}." }], "Be Ada."],
    ["a function, called only now", () => "Lazy {{name}}", "Lazy Ada"],
  ])("%s is the last resort", async (_, fallback, text) => {
    serve(refused(503, "unavailable"));
    const compiled = await clientOf().prompt("ada/reply", { fallback }).compile({ name: "Ada" });
    expect(compiled.text).toBe(text);
    expect(compiled.prompt).toMatchObject({ source: "fallback", version: null, staleReason: "server_error" });
  });

  test("a fallback may do with fewer values than the prompt, but not with fewer than it uses", async () => {
    serve(down);
    const prompt = clientOf().prompt("ada/reply", { fallback: "Hello {{name}}" });
    expect((await prompt.compile({ name: "Ada", tone: "warm" })).text).toBe("Hello Ada");
    await expect(prompt.compile({ tone: "warm" })).rejects.toMatchObject({ missing: ["name"] });
  });

  test("and without anything else, what went wrong is told", async () => {
    serve(refused(503, "unavailable"));
    await expect(clientOf().prompt("ada/reply").get()).rejects.toMatchObject({ code: "unavailable" });
  });
});

describe("a lockfile", () => {
  test("is read from its text", () => {
    expect(readLockfile(JSON.stringify(lockfile))).toEqual(lockfile);
  });

  test.each([
    ["an unfinished merge", "<<<<<<< ours\n{}", "Was a merge left unfinished"],
    ["one of a later version", '{"lockfileVersion":2,"prompts":{}}', "not of version 1"],
    ["none", "null", "not of version 1"],
  ])("that is %s is refused, and says what to do", (_, text, message) => {
    expect(() => readLockfile(text)).toThrow(message);
  });
});

describe("a compiled prompt", () => {
  test("brings its text, its messages, its config and what was served", async () => {
    serve(resolvedTo(1));
    const compiled = await clientOf().prompt("ada/reply@production").compile({ name: "Ada" });
    expect(compiled).toMatchObject({
      text: "Version 1 for Ada.",
      messages: [{ role: "user", content: "Version 1 for Ada." }],
      config: { model: "m" },
      tools: [],
      prompt: { version: 1 },
    });
  });

  test("brings the tools of a chat, and takes the caller's messages", async () => {
    const tools = [{ type: "function", function: { name: "search" } }];
    const messages = [
      { role: "system", content: "Be {{tone}}." },
      { type: "placeholder", name: "history" },
    ];
    const chat = {
      ...versionOf(1),
      entry: "CHAT.json",
      files: [{ path: "CHAT.json", encoding: "utf8", content: JSON.stringify({ messages, tools }) }],
      variables: [],
    };
    serve(() => HttpResponse.json(chat));
    const history = [{ role: "user", content: "Hi" }];
    const compiled = await clientOf()
      .prompt("ada/chat@1")
      .compile({ tone: "brief" }, { messages: { history } });
    expect(compiled).toMatchObject({
      tools,
      messages: [{ role: "system", content: "Be brief." }, ...history],
    });
  });

  test("refuses a variable that is missing or unknown, by name", async () => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply@production");
    await expect(prompt.compile({ nmae: "Ada" })).rejects.toMatchObject({
      code: "missing_variables",
      missing: ["name"],
      unknown: ["nmae"],
    });
    expect((await prompt.compile({}, { strict: false })).missing).toEqual(["name"]);
  });
});

describe("an address", () => {
  test.each(["ada", "ada/reply@", "Ada/reply", "ada/reply@-x"])(
    "like %j is refused before anything is sent",
    (ref) => {
      expect(() => clientOf().prompt(ref)).toThrow(SyntaxError);
    },
  );

  test.each([
    ["ada/reply@3", { label: "production" }],
    ["ada/reply", { label: "production", version: 3 }],
  ])("that names two versions is refused: %j %j", (ref, options) => {
    expect(() => clientOf().prompt(ref, options)).toThrow("give one label or one version");
  });

  test("of a label that no server has is refused too", () => {
    expect(() => clientOf().prompt("ada/reply", { label: "a b" })).toThrow(SyntaxError);
  });
});

describe("the cache", () => {
  test("counts what it holds in bytes, and lets go of what was used longest ago", async () => {
    server.use(
      http.all(`${origin}/api/v1/prompts/ada/reply/versions/:n`, ({ params }) => {
        requests.push({} as Request);
        return HttpResponse.json(versionOf(Number(params["n"]), "é".repeat(1_000)));
      }),
    );
    const client = clientOf({ cache: { maxBytes: 10_000 } });
    for (const n of [1, 2, 3, 4]) await client.prompt(`ada/reply@${n}`).get();
    expect(client.cache.size).toBe(4);
    expect(client.cache.bytes).toBeGreaterThan(8_000);
    await client.prompt("ada/reply@1").get();
    await client.prompt("ada/reply@5").get();
    expect(client.cache.bytes).toBeLessThan(10_000);
    requests = [];
    await client.prompt("ada/reply@1").get();
    expect(requests).toHaveLength(0);
    await client.prompt("ada/reply@2").get();
    expect(requests).toHaveLength(1);
    client.cache.clear();
    expect([client.cache.size, client.cache.bytes]).toEqual([0, 0]);
  });

  test("does not keep what is larger than it may be, and serves it all the same", async () => {
    serve(pinnedTo(1));
    const client = clientOf({ cache: { maxBytes: 10 } });
    expect((await client.prompt("ada/reply@1").get()).version).toBe(1);
    expect([client.cache.size, client.cache.bytes]).toEqual([0, 0]);
  });

  test("is filled ahead in one call, which names what could not be had", async () => {
    server.use(
      http.all(`${origin}/api/v1/prompts/ada/:slug`, ({ params, request }) => {
        requests.push(request);
        return params["slug"] === "gone" ? refused(410, "gone")() : resolvedTo(1)();
      }),
    );
    const client = clientOf();
    const refs = Array.from({ length: 30 }, (_, i) => `ada/p${i}@production`);
    await client.warmUp(refs);
    await Promise.all(refs.map((ref) => client.prompt(ref).get()));
    expect(requests).toHaveLength(30);
    await expect(client.warmUp([...refs, "ada/gone"])).rejects.toMatchObject({
      message: "1 of 31 prompts could not be had.",
      errors: [{ status: 410 }],
    });
  });

  test("hands work that goes on to the runtime", async () => {
    serve(resolvedTo(1));
    const works: Promise<unknown>[] = [];
    const client = clientOf({ cache: { waitUntil: (work) => works.push(work) } });
    await client.prompt("ada/reply@production").get();
    seconds(61);
    await client.prompt("ada/reply@production").get();
    expect(works).toHaveLength(1);
    await works[0];
    expect(requests).toHaveLength(2);
  });

  test("leaves a caller who gives up, and nobody else", async () => {
    const answered = Promise.withResolvers<Response>();
    serve(() => answered.promise);
    const prompt = clientOf().prompt("ada/reply@production");
    const abort = new AbortController();
    const [given, kept] = [prompt.get({ signal: abort.signal }), prompt.get()];
    await settled();
    abort.abort();
    await expect(given).rejects.toMatchObject({ name: "AbortError" });
    answered.resolve(resolvedTo(1)());
    expect((await kept).version).toBe(1);
    expect(requests).toHaveLength(1);
  });
});

describe("a webhook", () => {
  const secret = "whsec_for_tests_of_the_client_and_nothing_else";
  async function delivery(id: string, createdAt: string, promptId = "prm_1"): Promise<Request> {
    const body = JSON.stringify({
      id,
      event: "prompt.label.moved",
      createdAt,
      data: { prompt: { id: promptId, ref: "ada/reply", url: "" }, actor: null },
    });
    const headers = { "service-signature": await sign(body, secret, { now: Date.now() }) };
    return new Request("http://app.test/hook", { method: "POST", body, headers });
  }

  test("refreshes what moved, at once, for the next get", async () => {
    serve(resolvedTo(1));
    const client = clientOf();
    const prompt = client.prompt("ada/reply@production");
    await prompt.get();
    serve(resolvedTo(2));
    const handled = await client.handleWebhook(await delivery("evt_1", "2026-01-01T00:00:01.000Z"), secret);
    expect(handled).toMatchObject({ isNew: true, refreshed: ["ada/reply@production"] });
    expect(await prompt.get()).toMatchObject({ version: 2, source: "memory" });
  });

  test("is handled once, and not after a later one", async () => {
    serve(resolvedTo(1));
    const client = clientOf();
    await client.prompt("ada/reply@production").get();
    const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
    const handle = async (id: string, second: number) =>
      client.handleWebhook(await delivery(id, at(second)), secret);
    expect((await handle("evt_2", 5)).refreshed).toHaveLength(1);
    expect(await handle("evt_2", 5)).toMatchObject({ isNew: false, refreshed: [] });
    expect(await handle("evt_1", 4)).toMatchObject({ isNew: true, refreshed: [] });
    expect(await handle("evt_3", 5)).toMatchObject({ refreshed: ["ada/reply@production"] });
  });

  test("leaves other prompts alone, and is refused without the right signature", async () => {
    serve(resolvedTo(1));
    const client = clientOf();
    await client.prompt("ada/reply@production").get();
    const request = await delivery("evt_1", "2026-01-01T00:00:01.000Z");
    await expect(client.handleWebhook(request, "whsec_another_secret_of_the_tests")).rejects.toMatchObject({
      code: "signature_mismatch",
      statusCode: 400,
    });
    expect(requests).toHaveLength(1);
  });

  test("does not believe an answer that began before it came", async () => {
    serve(resolvedTo(1));
    const client = clientOf();
    const prompt = client.prompt("ada/reply@production");
    await prompt.get();
    const old = Promise.withResolvers<Response>();
    serve(() => old.promise);
    seconds(61);
    requests = [];
    await prompt.get();
    await settled();
    serve(resolvedTo(2));
    const handling = client.handleWebhook(await delivery("evt_1", "2026-01-01T00:00:01.000Z"), secret);
    old.resolve(resolvedTo(1)());
    await handling;
    expect((await prompt.get()).version).toBe(2);
  });
});
