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
  test("is requested once, then served from memory, and names its source", async () => {
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

  test("in its second minute is served while it is revalidated by its ETag", async () => {
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

  test("is fresh for one minute, and revalidated in the background for another", async () => {
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

  test("that moved is served at its new version after the revalidation", async () => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply@production");
    await prompt.get();
    serve(resolvedTo(2));
    seconds(61);
    expect((await prompt.get()).version).toBe(1);
    await vi.waitFor(async () => expect((await prompt.get()).version).toBe(2));
  });

  test("that is hours old, as after a frozen process, is requested before it is served", async () => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply@production");
    await prompt.get();
    serve(resolvedTo(2));
    seconds(7_200);
    expect(await prompt.get()).toMatchObject({ version: 2, source: "network", ageMs: 0 });
  });

  test("that is hours old is served stale if the registry does not respond within a second", {
    tags: "long",
  }, async () => {
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

  test("is requested single-flight", async () => {
    serve(resolvedTo(1));
    const client = clientOf();
    const gets = Array.from({ length: 1_000 }, () => client.prompt("ada/reply@production").get());
    expect(new Set((await Promise.all(gets)).map(({ version }) => version))).toEqual(new Set([1]));
    expect(requests).toHaveLength(1);
  });

  test("creates no work for each get during a revalidation", async () => {
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

  test("is not fresh for longer if the clock is set back", async () => {
    serve(resolvedTo(1));
    const prompt = clientOf().prompt("ada/reply@production");
    await prompt.get();
    serve(resolvedTo(2));
    seconds(-3_600);
    expect((await prompt.get()).version).toBe(2);
  });

  test("of a prompt with only yanked versions is an error, even with a stale entry", async () => {
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
    "that is refused with %d is not hidden by a stale entry, a lockfile or a fallback",
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

  test("that is refused during revalidation is refused by the next get", async () => {
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
    ["the login page of a proxy", page(200), "server_error"],
  ])("is served stale during %s, with the reason", async (_, answer, staleReason) => {
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

  test("is served stale for maxStaleMs, and no longer", async () => {
    serve(resolvedTo(1));
    const prompt = clientOf({ cache: { maxStaleMs: 3_600_000 } }).prompt("ada/reply@production");
    await prompt.get();
    serve(down);
    seconds(3_599);
    expect(await prompt.get()).toMatchObject({ version: 1, staleReason: "unreachable" });
    seconds(2);
    await expect(prompt.get()).rejects.toMatchObject({ name: "ConnectionError" });
  });

  test("that could not be refreshed is retried with growing pauses, not with every get", async () => {
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
  ])("is not requested again %s", async (_, after, lasts) => {
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

  test("is retried at once if the clock is set back", async () => {
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
  test("is requested once", async () => {
    serve(pinnedTo(3));
    const prompt = clientOf().prompt("ada/reply@3");
    expect(await prompt.get()).toMatchObject({ source: "network", version: 3 });
    const { pathname, search } = new URL(requests[0]?.url ?? "");
    expect(pathname + search).toBe("/api/v1/prompts/ada/reply?view=version&version=3");
    serve(refused(410, "gone"));
    seconds(10 * 365 * 86_400);
    expect(await prompt.get()).toMatchObject({ source: "memory", version: 3, staleReason: null });
    expect(requests).toHaveLength(1);
  });
});

test.each([true, false])("a pinned version says whether it is yanked: %o", async (yanked) => {
  serve(() => version(versionOf(3), { yanked }));
  expect(await clientOf().prompt("ada/reply@3").get()).toMatchObject({ isYanked: yanked, version: 3 });
});

describe("the cache", () => {
  test("counts its size in bytes, and evicts the least recently used entries", async () => {
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

  test("serves a prompt that is larger than the cache, and does not store it", async () => {
    serve(pinnedTo(1));
    const sizeWith = async (maxBytes: number) => {
      const { cache, prompt } = clientOf({ cache: { maxBytes } });
      expect((await prompt("ada/reply@1").get()).version).toBe(1);
      return [cache.size, cache.bytes];
    };
    const [, bytes = 0] = await sizeWith(10_000);
    expect(await sizeWith(bytes)).toEqual([1, bytes]);
    expect(await sizeWith(bytes - 1)).toEqual([0, 0]);
  });

  test("is filled by warmUp, which reports the failures", async () => {
    serve((request) => (request.url.includes("/gone?") ? refused(410, "gone")() : resolvedTo(1)(request)));
    const client = clientOf();
    const refs = Array.from({ length: 30 }, (_, i) => `ada/p${i}@production`);
    await client.warmUp(refs);
    await Promise.all(refs.map((ref) => client.prompt(ref).get()));
    expect(requests).toHaveLength(30);
    await expect(client.warmUp([...refs, "ada/gone"])).rejects.toMatchObject({
      message: "1 of 31 prompts could not be loaded.",
      errors: [{ status: 410 }],
    });
  });

  test("passes background work to the runtime", async () => {
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

  test("lets one caller abort without an effect on others", async () => {
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
