import { inspect } from "node:util";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { ApiError, ConnectionError, createClient, type Fetch } from "./index.ts";
import { routes } from "./routes.ts";

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

/** Sends the responses in turn, and the last one from then on. Returns the requests to `path`. */
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
  test("has its id as its address, and calls its route", async () => {
    const requests = serve("/api/v1/prompts/ada/reply/labels/production", ok);
    const body = { versionNumber: 2, reason: "good evals" };
    await client.prompts.labels.put({ ...prompt, name: "production", body });
    expect(requests[0]?.method).toBe("PUT");
    expect(requests[0]?.headers.get("authorization")).toBe(`Bearer ${token}`);
    expect(requests[0]?.headers.get("content-type")).toBe("application/json");
    expect(await requests[0]?.json()).toEqual(body);
  });

  test("exists for every route of the table", () => {
    for (const id of Object.keys(routes)) {
      const method = id
        .split(".")
        .reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], client);
      expect(method).toBeTypeOf("function");
    }
  });

  test("sends its query without undefined values", async () => {
    const requests = serve("/api/v1/prompts/ada/reply", ok);
    await client.prompts.get({ ...prompt, query: { label: "a b", view: undefined } });
    expect(requests[0]?.url).toBe(`${origin}/api/v1/prompts/ada/reply?label=a+b`);
  });

  test("returns JSON as data, and text as the response itself", async () => {
    serve("/api/v1/me", ok);
    serve("/api/v1/prompts/ada/reply/raw", () => HttpResponse.text("Hello {{name}}", named));
    expect(await client.users.me.get()).toEqual({ ok: true });
    const raw = await client.prompts.raw.get(prompt);
    expect(await raw.text()).toBe("Hello {{name}}");
  });

  test("returns a JSON file unread if the operation returns files", async () => {
    serve("/api/v1/prompts/ada/reply/raw", () => HttpResponse.json({ a: 1 }, named));
    expect(await (await client.prompts.raw.get(prompt)).text()).toBe('{"a":1}');
  });

  test("asks for another media type with `accept`, and returns that response", async () => {
    const requests = serve("/api/v1/prompts/ada/reply/diff/1..2", () =>
      requests[0]?.headers.get("accept") === "text/x-diff" ? HttpResponse.text("diff --git", named) : ok(),
    );
    const patch = await client.prompts.diff({ ...prompt, range: "1..2" }, { accept: "text/x-diff" });
    expect(await patch.text()).toBe("diff --git");
  });

  test("returns undefined for a response without content", async () => {
    serve("/api/v1/me", () => new HttpResponse(null, { status: 204, ...named }));
    expect(await client.users.me.get()).toBeUndefined();
  });
});

describe("the address and the token", () => {
  test("come from the environment if the program does not set them", async () => {
    vi.stubEnv("PROMPTREG_URL", `${origin}/behind/a/path/`);
    vi.stubEnv("PROMPTREG_TOKEN", `${token}\n`);
    const requests = serve("/behind/a/path/api/v1/me", ok);
    await createClient().users.me.get();
    expect(requests[0]?.headers.get("authorization")).toBe(`Bearer ${token}`);
  });

  test.each(["/api/v1", "/api/v1/", "//", "/"])("may be an address that ends in %j", async (end) => {
    const requests = serve("/behind/api/v1/me", ok);
    await createClient({ baseUrl: `${origin}/behind${end}`, token }).users.me.get();
    expect(requests).toHaveLength(1);
  });

  test("may have /api/v1 elsewhere than at the end", async () => {
    const requests = serve("/api/v1/beta/api/v1/me", ok);
    await createClient({ baseUrl: `${origin}/api/v1/beta`, token }).users.me.get();
    expect(requests).toHaveLength(1);
  });

  test("may be a null token, which ignores the environment", async () => {
    vi.stubEnv("PROMPTREG_TOKEN", token);
    const requests = serve("/api/v1/prompts/ada/reply", ok);
    await createClient({ baseUrl: origin, token: null }).prompts.get(prompt);
    expect(requests[0]?.headers.has("authorization")).toBe(false);
  });

  test.each([
    "",
    "registry.test",
    "ftp://registry.test",
    "xhttp://registry.test",
    "http://u:p@registry.test",
    "http://registry.test?a=b",
  ])("reject the address %j, without repeating it", (baseUrl) => {
    expect(() => createClient({ baseUrl })).toThrow(/^The server's address must look like .*credentials\.$/);
  });

  test("go to the caller's fetch, which is called without a this value, as browsers require", async () => {
    const send: Fetch = function (this: unknown, ...request) {
      expect(this).toBeUndefined();
      return fetch(...request);
    };
    serve("/api/v1/me", ok);
    const own = createClient({ baseUrl: origin, token, fetch: send });
    expect(await own.users.me.get()).toEqual({ ok: true });
  });

  test("reject a token with characters that no header can carry, without repeating it", () => {
    expect(() => createClient({ token: "prt_a\nb" })).toThrow("The token contains invalid characters");
  });
});

describe("an error response", () => {
  test("becomes an ApiError with its code, status, details and request id", async () => {
    const details = [{ path: "/slug", code: "custom", message: "required" }];
    const none = [
      "?",
      null,
      { path: "/a", code: "b" },
      { path: "/a", message: "b" },
      { code: "a", message: "b" },
    ];
    const error = { code: "validation_failed", message: "It does not fit.", details: [...details, ...none] };
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
])("a response without an X-Request-Id is not from the registry: %s", async (_, path, call, answer) => {
  serve(path, answer);
  await expect(call()).rejects.toMatchObject({
    code: "unexpected_response",
    message: expect.stringContaining("it has no X-Request-Id"),
  });
});

describe("no response", () => {
  test("is a ConnectionError, not an ApiError", async () => {
    serve("/api/v1/me", () => HttpResponse.error());
    const once = createClient({ baseUrl: origin, token, retries: 0 });
    const thrown = await once.users.me.get().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ConnectionError);
    expect(thrown).toMatchObject({ message: expect.stringContaining(`${origin} cannot be reached`) });
  });

  test("within the time limit is a ConnectionError too", async () => {
    const slow = createClient({
      baseUrl: origin,
      timeoutMs: 20,
      retries: 0,
      fetch: (_, init) => new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", reject)),
    });
    await expect(slow.users.me.get()).rejects.toThrow(`${origin} did not answer within 0.02 seconds`);
  });

  test("because the caller aborted rejects with the caller's reason", async () => {
    const answered = Promise.withResolvers<Response>();
    const fetch = vi.fn<Fetch>(() => answered.promise);
    const stuck = createClient({ baseUrl: origin, token, fetch });
    const abort = new AbortController();
    const calling = stuck.users.me.get({}, { signal: abort.signal });
    await vi.waitFor(() => expect(fetch).toHaveBeenCalled());
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

describe("a temporary failure", () => {
  const busy = failure(503, "unavailable", { "retry-after": "0" });

  test("gets two retries", async () => {
    const requests = serve("/api/v1/me", busy);
    await expect(client.users.me.get()).rejects.toMatchObject({ code: "unavailable" });
    expect(requests).toHaveLength(3);
  });

  test.each([408, 429, 500, 502, 503, 504])("is a response with %i", async (status) => {
    const requests = serve("/api/v1/me", failure(status, "for_the_moment", { "retry-after": "0" }), ok);
    await client.users.me.get();
    expect(requests).toHaveLength(2);
  });

  test("is not one that lasts until an operator sets something up", async () => {
    const requests = serve("/api/v1/me", failure(503, "discord_unavailable"));
    await expect(client.users.me.get()).rejects.toMatchObject({ status: 503 });
    expect(requests).toHaveLength(1);
  });

  test.each([400, 401, 403, 404, 405, 409, 410, 412, 413, 422, 501, 505])(
    "is not a response with %i",
    async (status) => {
      const requests = serve("/api/v1/me", failure(status, "for_good", { "retry-after": "0" }));
      await expect(client.users.me.get()).rejects.toMatchObject({ status });
      expect(requests).toHaveLength(1);
    },
  );

  test("of a POST is retried with the same idempotency key", async () => {
    const requests = serve("/api/v1/webhooks", busy, ok);
    await client.webhooks.create({ body: { url: "https://example.com/hook" } });
    const keys = requests.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]]);
    expect(await requests[1]?.json()).toEqual({ url: "https://example.com/hook" });
  });

  test("keeps the caller's idempotency key", async () => {
    const requests = serve("/api/v1/webhooks", ok);
    await client.webhooks.create({ body: { url: "https://example.com/" } }, { idempotencyKey: "mine" });
    expect(requests[0]?.headers.get("idempotency-key")).toBe("mine");
  });

  test("of a PATCH is not retried", async () => {
    const requests = serve("/api/v1/evals/runs/run_1", busy);
    const finished = client.evals.runs.update({ id: "run_1", body: { status: "completed" } });
    await expect(finished).rejects.toMatchObject({ status: 503 });
    expect(requests).toHaveLength(1);
  });

  test("of an upload is not retried, and an upload gets no key", async () => {
    const requests = serve("/api/v1/webhooks", busy);
    const body = new FormData() as never;
    await expect(client.webhooks.create({ body })).rejects.toMatchObject({ status: 503 });
    expect(requests.map(({ headers }) => headers.get("idempotency-key"))).toEqual([null]);
  });

  test("is retried after up to 300 ms, and twice as long the next time, if that is before the deadline", async () => {
    const requests = serve("/api/v1/me", failure(503, "unavailable"));
    vi.spyOn(Math, "random").mockReturnValue(0);
    const hasty = createClient({ baseUrl: origin, token, deadlineMs: 590 });
    await expect(hasty.users.me.get()).rejects.toMatchObject({ code: "unavailable" });
    vi.restoreAllMocks();
    expect(requests).toHaveLength(2);
  });

  test.each([
    ["AbortError", 1],
    ["TimeoutError", 1],
    ["MyAbortError", 3],
    ["AbortErrors", 3],
  ])("of the runtime with the name %s has %i attempts", async (name, attempts) => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const send = vi.fn<Fetch>(() => Promise.reject(Object.assign(new TypeError("x"), { name })));
    await expect(createClient({ baseUrl: origin, token, fetch: send }).users.me.get()).rejects.toThrow(
      "registry.test",
    );
    vi.restoreAllMocks();
    expect(send).toHaveBeenCalledTimes(attempts);
  });

  test("is not retried if the server asks for more than a minute", async () => {
    const requests = serve("/api/v1/me", failure(429, "rate_limited", { "retry-after": "61" }));
    await expect(client.users.me.get()).rejects.toMatchObject({ code: "rate_limited", status: 429 });
    expect(requests).toHaveLength(1);
  });

  test("ends at once if the caller aborts during the wait", async () => {
    const abort = new AbortController();
    const requests = serve("/api/v1/me", failure(503, "unavailable", { "retry-after": "59" }));
    const calling = client.users.me.get({}, { signal: abort.signal });
    await vi.waitUntil(() => requests.length === 1);
    abort.abort();
    await expect(calling).rejects.toMatchObject({ name: "AbortError" });
  });
});

test.each([
  [{ baseURL: "http://registry.test" }, "There is no option baseURL. It is baseUrl."],
  [{ timeout: 5_000 }, "There is no option timeout. It is timeoutMs."],
  [{ cache: { ttl: 5 } }, "There is no option ttl. It is ttlMs."],
  [{ timeoutMs: -1 }, "timeoutMs must be a number of milliseconds, not -1."],
  [{ deadlineMs: Number.NaN }, "deadlineMs must be a number of milliseconds, not NaN."],
])("options that would have no effect are refused: %o", (options, message) => {
  expect(() => createClient(options as object)).toThrow(new TypeError(message));
});

test("an error says which operation failed, and of which prompt", async () => {
  const refused = { error: { code: "not_found", message: "Not found.", requestId: "req-1" } };
  const fetch = async () => Response.json(refused, { status: 404, headers: { "x-request-id": "req-1" } });
  const client = createClient({ baseUrl: "http://registry.test", fetch });
  await expect(client.prompts.labels.list({ owner: "ada", slug: "reply" })).rejects.toMatchObject({
    operation: "prompts.labels.list",
  });
  const { errors } = (await client
    .warmUp(["ada/a@production", "ada/b"])
    .catch((error: AggregateError) => error)) as AggregateError;
  expect(errors.map(({ message }) => message)).toEqual([
    "ada/a@production: Not found.",
    "ada/b@latest: Not found.",
  ]);
});

test.each([
  ["http", "UND_ERR_SOCKET", "https"],
  ["http", "ECONNRESET", "https"],
  ["http", "EPIPE", "https"],
  ["http", "HPE_INVALID_CONSTANT", "https"],
  ["https", "ERR_SSL_WRONG_VERSION_NUMBER", "http"],
])("an address with %s that fails with %s may have to begin with %s", async (scheme, code, other) => {
  const fetch = () => Promise.reject(Object.assign(new TypeError("fetch failed"), { cause: { code } }));
  const client = createClient({ baseUrl: `${scheme}://registry.test`, fetch, retries: 0 });
  await expect(client.users.me.get()).rejects.toThrow(`Does its address begin with ${other}://?`);
});
