import { inspect } from "node:util";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { ApiError, ConnectionError, createClient, type Fetch, routes } from "./index.ts";

const origin = "http://registry.test";
const token = "prt_a-token-for-tests";
const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
afterEach(() => {
  server.resetHandlers();
  vi.unstubAllEnvs();
});
afterAll(() => server.close());

const client = createClient({ baseUrl: origin, token });
const prompt = { owner: "ada", slug: "reply" };

/** Answers everything below `path` in turn, the last answer for ever, and keeps the requests. */
function serve(path: string, ...answers: (() => Response)[]): Request[] {
  const requests: Request[] = [];
  const handle = ({ request }: { request: Request }) => {
    requests.push(request.clone());
    return answers[Math.min(requests.length, answers.length) - 1]?.();
  };
  server.use(http.all(`${origin}${path}`, handle));
  return requests;
}

const named = { headers: { "x-request-id": "req-12345678" } };
const ok = () => HttpResponse.json({ ok: true }, named);
const failure =
  (status: number, code: string, headers = {}) =>
  () =>
    HttpResponse.json(
      { error: { code, message: "It went wrong.", requestId: "req-12345678" } },
      { status, headers: { ...named.headers, ...headers } },
    );

describe("an operation", () => {
  test("is found under its id and sent to its route", async () => {
    const requests = serve("/api/v1/prompts/ada/reply/labels/production", ok);
    const body = { versionNumber: 2, reason: "good evals" };
    await client.prompts.labels.put({ ...prompt, name: "production", body });
    expect(requests[0]?.method).toBe("PUT");
    expect(requests[0]?.headers.get("authorization")).toBe(`Bearer ${token}`);
    expect(requests[0]?.headers.get("content-type")).toBe("application/json");
    expect(await requests[0]?.json()).toEqual(body);
  });

  test("is there for every route of the table", () => {
    for (const id of Object.keys(routes)) {
      const method = id
        .split(".")
        .reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], client);
      expect(method).toBeTypeOf("function");
    }
  });

  test("sends its query, without what is undefined", async () => {
    const requests = serve("/api/v1/prompts/ada/reply", ok);
    await client.prompts.get({ ...prompt, query: { label: "a b", view: undefined } });
    expect(requests[0]?.url).toBe(`${origin}/api/v1/prompts/ada/reply?label=a+b`);
  });

  test("answers JSON as data and text as the response itself", async () => {
    serve("/api/v1/me", ok);
    serve("/api/v1/prompts/ada/reply/raw", () => HttpResponse.text("Hello {{name}}", named));
    expect(await client.users.me.get()).toEqual({ ok: true });
    const raw = await client.prompts.raw.get(prompt);
    expect(await raw.text()).toBe("Hello {{name}}");
  });

  test("hands a JSON file out unread where the operation answers with files", async () => {
    serve("/api/v1/prompts/ada/reply/raw", () => HttpResponse.json({ a: 1 }, named));
    expect(await (await client.prompts.raw.get(prompt)).text()).toBe('{"a":1}');
  });

  test("asks for another medium of an operation when told to, and hands that answer out", async () => {
    const requests = serve("/api/v1/prompts/ada/reply/diff/1..2", () =>
      requests[0]?.headers.get("accept") === "text/x-diff" ? HttpResponse.text("diff --git", named) : ok(),
    );
    const patch = await client.prompts.diff({ ...prompt, range: "1..2" }, { accept: "text/x-diff" });
    expect(await patch.text()).toBe("diff --git");
  });

  test("answers undefined where the server has nothing to say", async () => {
    serve("/api/v1/me", () => new HttpResponse(null, { status: 204, ...named }));
    expect(await client.users.me.get()).toBeUndefined();
  });
});

describe("where and as whom", () => {
  test("the environment says it when the program does not", async () => {
    vi.stubEnv("PROMPTREG_URL", `${origin}/behind/a/path/`);
    vi.stubEnv("PROMPTREG_TOKEN", `${token}\n`);
    const requests = serve("/behind/a/path/api/v1/me", ok);
    await createClient().users.me.get();
    expect(requests[0]?.headers.get("authorization")).toBe(`Bearer ${token}`);
  });

  test.each(["/api/v1", "/api/v1/", "//", "/"])("an address may end in %j", async (end) => {
    const requests = serve("/behind/api/v1/me", ok);
    await createClient({ baseUrl: `${origin}/behind${end}`, token }).users.me.get();
    expect(requests).toHaveLength(1);
  });

  test("a null token calls without one, whatever the environment says", async () => {
    vi.stubEnv("PROMPTREG_TOKEN", token);
    const requests = serve("/api/v1/prompts/ada/reply", ok);
    await createClient({ baseUrl: origin, token: null }).prompts.get(prompt);
    expect(requests[0]?.headers.has("authorization")).toBe(false);
  });

  test.each([
    "",
    "registry.test",
    "ftp://registry.test",
    "http://u:p@registry.test",
    "http://registry.test?a=b",
  ])("%j is refused as an address, without repeating it", (baseUrl) => {
    expect(() => createClient({ baseUrl })).toThrow(/^The server's address must look like .*credentials\.$/);
  });

  test("a fetch that is given is called on its own, as that of browsers wants to be", async () => {
    const send: Fetch = function (this: unknown, ...request) {
      expect(this).toBeUndefined();
      return fetch(...request);
    };
    serve("/api/v1/me", ok);
    const own = createClient({ baseUrl: origin, token, fetch: send });
    expect(await own.users.me.get()).toEqual({ ok: true });
  });

  test("a token that no header can carry is refused, without repeating it", () => {
    expect(() => createClient({ token: "prt_a\nb" })).toThrow("The token holds characters that no token has");
  });
});

describe("an error answer", () => {
  test("becomes an ApiError with its code, status, details and request id", async () => {
    const details = [{ path: "/slug", code: "custom", message: "required" }];
    const error = { code: "validation_failed", message: "It does not fit.", details: [...details, "?"] };
    serve("/api/v1/me", () =>
      HttpResponse.json({ error: { ...error, requestId: "req-12345678" } }, { status: 422, ...named }),
    );
    const thrown = await client.users.me.get().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({
      code: "validation_failed",
      status: 422,
      message: "It does not fit.",
      details,
      requestId: "req-12345678",
    });
  });

  test.each([
    ["a page", 404, "text/html", "<h1>nginx</h1>"],
    ["a success that is a page", 200, "text/html", "<h1>Please log in</h1>"],
    ["a success that is broken JSON", 200, "application/json", '{"handle": "a'],
    ["foreign JSON", 400, "application/json", '{"error":"invalid"}'],
    ["a gateway's envelope", 404, "application/json", '{"error":{"code":"NotFound","message":"No."}}'],
    ["JSON null", 400, "application/json", "null"],
    ["broken JSON", 400, "application/json", "{"],
  ])("that is %s gets the code unexpected_response", async (_, status, type, body) => {
    const headers = { "content-type": type, "x-request-id": "r-2" };
    serve("/api/v1/me", () => new HttpResponse(body, { status, headers }));
    const expected = { name: "ApiError", code: "unexpected_response", status, requestId: "r-2" };
    await expect(client.users.me.get()).rejects.toMatchObject(expected);
  });
});

test.each([
  ["JSON", "/api/v1/prompts", () => client.prompts.list(), () => HttpResponse.json({ status: "ok" })],
  [
    "a file",
    "/api/v1/prompts/ada/reply/raw",
    () => client.prompts.raw.get(prompt),
    () => HttpResponse.text("ok"),
  ],
  [
    "nothing",
    "/api/v1/prompts/ada/reply",
    () => client.prompts.delete(prompt),
    () => new HttpResponse(null, { status: 204 }),
  ],
])("an answer without an X-Request-Id is not the registry's, be it %s", async (_, path, call, answer) => {
  serve(path, answer);
  await expect(call()).rejects.toMatchObject({
    code: "unexpected_response",
    message: expect.stringContaining("it has no X-Request-Id"),
  });
});

describe("no answer", () => {
  test("is a ConnectionError, apart from what the server says", async () => {
    serve("/api/v1/me", () => HttpResponse.error());
    const once = createClient({ baseUrl: origin, token, retries: 0 });
    const thrown = await once.users.me.get().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ConnectionError);
    expect(thrown).toMatchObject({ message: expect.stringContaining(`${origin} cannot be reached`) });
  });

  test("within the time limit is one too", async () => {
    const slow = createClient({
      baseUrl: origin,
      timeoutMs: 20,
      retries: 0,
      fetch: (_, init) => new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", reject)),
    });
    await expect(slow.users.me.get()).rejects.toThrow(`${origin} did not answer within 0.02 seconds`);
  });

  test("because the caller gave up rejects with the caller's own reason", async () => {
    const answered = Promise.withResolvers<Response>();
    const stuck = createClient({ baseUrl: origin, token, fetch: () => answered.promise });
    const abort = new AbortController();
    const calling = stuck.users.me.get({}, { signal: abort.signal });
    abort.abort();
    answered.reject(abort.signal.reason);
    await expect(calling).rejects.toMatchObject({ name: "AbortError" });
  });

  test.each([
    ["a refusal", failure(403, "forbidden")],
    ["a foreign page", () => new HttpResponse("<h1>Bad gateway</h1>", { status: 400 })],
    ["a broken connection", () => HttpResponse.error()],
  ])("or %s never shows the token in a log", async (_, answer) => {
    serve("/api/v1/me", answer);
    const once = createClient({ baseUrl: origin, token, retries: 0 });
    const thrown = await once.users.me.get().catch((error: unknown) => error);
    expect(inspect(thrown, { depth: 20, showHidden: true })).not.toContain(token);
  });
});

describe("what failed for the moment", () => {
  const busy = failure(503, "unavailable", { "retry-after": "0" });

  test("is sent again twice, then given up", async () => {
    const requests = serve("/api/v1/me", busy);
    await expect(client.users.me.get()).rejects.toMatchObject({ code: "unavailable" });
    expect(requests).toHaveLength(3);
  });

  test.each([408, 429, 500, 502, 503, 504])("is what was answered with %i", async (status) => {
    const requests = serve("/api/v1/me", failure(status, "for_the_moment", { "retry-after": "0" }), ok);
    await client.users.me.get();
    expect(requests).toHaveLength(2);
  });

  test.each([400, 401, 403, 404, 405, 409, 410, 412, 413, 422, 501, 505])(
    "is not what was answered with %i",
    async (status) => {
      const requests = serve("/api/v1/me", failure(status, "for_good", { "retry-after": "0" }));
      await expect(client.users.me.get()).rejects.toMatchObject({ status });
      expect(requests).toHaveLength(1);
    },
  );

  test("is a POST under one key, so that the server does it once", async () => {
    const requests = serve("/api/v1/webhooks", busy, ok);
    await client.webhooks.create({ body: { url: "https://example.com/hook" } });
    const keys = requests.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]]);
    expect(await requests[1]?.json()).toEqual({ url: "https://example.com/hook" });
  });

  test("keeps the key that the caller chose", async () => {
    const requests = serve("/api/v1/webhooks", ok);
    await client.webhooks.create({ body: { url: "https://example.com/" } }, { idempotencyKey: "mine" });
    expect(requests[0]?.headers.get("idempotency-key")).toBe("mine");
  });

  test("is not sent again when it is a PATCH", async () => {
    const requests = serve("/api/v1/evals/runs/run_1", busy);
    const finished = client.evals.runs.update({ id: "run_1", body: { status: "completed" } });
    await expect(finished).rejects.toMatchObject({ status: 503 });
    expect(requests).toHaveLength(1);
  });

  test("is not sent again when it is an upload, which gets no key either", async () => {
    const requests = serve("/api/v1/webhooks", busy);
    const body = new FormData() as never;
    await expect(client.webhooks.create({ body })).rejects.toMatchObject({ status: 503 });
    expect(requests.map(({ headers }) => headers.get("idempotency-key"))).toEqual([null]);
  });

  test("is left to the caller when the server asks for more than a minute", async () => {
    const requests = serve("/api/v1/me", failure(429, "rate_limited", { "retry-after": "61" }));
    await expect(client.users.me.get()).rejects.toMatchObject({ code: "rate_limited", status: 429 });
    expect(requests).toHaveLength(1);
  });

  test("ends at once when the caller gives up during the wait", async () => {
    const abort = new AbortController();
    const requests = serve("/api/v1/me", failure(503, "unavailable", { "retry-after": "59" }));
    const calling = client.users.me.get({}, { signal: abort.signal });
    await vi.waitUntil(() => requests.length === 1);
    abort.abort();
    await expect(calling).rejects.toMatchObject({ name: "AbortError" });
  });
});
