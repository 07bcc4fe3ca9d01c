import { describe, expect, test, vi } from "vitest";
import {
  clientOf,
  down,
  lockfile,
  page,
  pinnedTo,
  refused,
  requests,
  resolvedTo,
  seconds,
  serve,
  settled,
  version,
  versionOf,
  stubRegistry,
  origin,
} from "../../test/registry-stub.ts";

stubRegistry();

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
    requests.length = 0;
    seconds(61);
    expect(await prompt.get()).toMatchObject({ version: 1, ageMs: 61_000, staleReason: "revalidating" });
    await settled();
    expect(requests[0]?.headers.get("if-none-match")).toBe('"v1"');
    await vi.waitFor(async () => expect((await prompt.get()).staleReason).toBeNull());
    expect(requests).toHaveLength(1);
  });

  test("is fresh for less than a minute, and asked for beside it for less than two", async () => {
    const atAge = async (ageS: number) => {
      serve(resolvedTo(1));
      const prompt = clientOf().prompt("ada/reply@production");
      await prompt.get();
      serve(resolvedTo(2));
      seconds(ageS);
      const { version, staleReason } = await prompt.get();
      return { version, staleReason };
    };
    expect(await atAge(59.999)).toEqual({ version: 1, staleReason: null });
    expect(await atAge(60)).toEqual({ version: 1, staleReason: "revalidating" });
    expect(await atAge(119.999)).toEqual({ version: 1, staleReason: "revalidating" });
    expect(await atAge(120)).toEqual({ version: 2, staleReason: null });
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

  test("leaves nothing behind of those that were served while it is asked for", async () => {
    serve(resolvedTo(1));
    const isSilent = vi.fn<() => boolean>(() => false);
    const work: Promise<unknown>[] = [];
    const prompt = clientOf({
      fetch: (...request) => (isSilent() ? Promise.withResolvers<Response>().promise : fetch(...request)),
      cache: { waitUntil: (one) => work.push(one) },
    }).prompt("ada/reply@production");
    await prompt.get();
    isSilent.mockReturnValue(true);
    seconds(61);
    for (let i = 0; i < 100; i += 1) expect((await prompt.get()).staleReason).toBe("revalidating");
    expect(work).toHaveLength(1);
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
    ["501", refused(501, "not_implemented"), "server_error"],
    ["408", refused(408, "request_timeout"), "server_error"],
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
      requests.length = 0;
      expect((await prompt.get()).staleReason).toBe("unreachable");
      asked.push(requests.length);
      seconds(1);
    }
    const count = asked.reduce((sum, one) => sum + one);
    expect(count).toBeGreaterThan(6);
    expect(count).toBeLessThan(20);
  });

  test.each([
    ["for as long as Retry-After says", "50", 50],
    ["but never for longer than a minute", "86400", 60],
  ])("is left alone %s", async (_, after, lasts) => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply@production");
    await prompt.get();
    serve(refused(429, "rate_limited", { "retry-after": after }));
    seconds(300);
    await prompt.get();
    requests.length = 0;
    seconds(lasts - 1);
    await prompt.get();
    expect(requests).toHaveLength(0);
    seconds(1);
    await prompt.get();
    expect(requests).toHaveLength(1);
  });

  test("is left alone no longer because the clock was put back", async () => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply@production");
    await prompt.get();
    serve(down);
    seconds(300);
    expect((await prompt.get()).staleReason).toBe("unreachable");
    serve(resolvedTo(2));
    seconds(-36_000);
    expect(await prompt.get()).toMatchObject({ version: 2, staleReason: null });
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

describe("the cache", () => {
  test("counts what it holds in bytes, and lets go of what was used longest ago", async () => {
    serve(({ url }) => version(versionOf(Number(url.at(-1)), "é".repeat(1_000))));
    const client = clientOf({ cache: { maxBytes: 10_000 } });
    for (const n of [1, 2, 3, 4]) await client.prompt(`ada/reply@${n}`).get();
    expect(client.cache.size).toBe(4);
    expect(client.cache.bytes).toBeGreaterThan(8_000);
    await client.prompt("ada/reply@1").get();
    await client.prompt("ada/reply@5").get();
    expect(client.cache.bytes).toBeLessThan(10_000);
    requests.length = 0;
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
    serve((request) => (request.url.includes("/gone?") ? refused(410, "gone")() : resolvedTo(1)(request)));
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
