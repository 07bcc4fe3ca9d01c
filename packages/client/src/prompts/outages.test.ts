import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { answering, json, refusal, silence } from "../../test/answers.ts";
import { lockfile, versionOf } from "../../test/registry-stub.ts";
import type { PromptCacheEvent, PromptCacheOptions } from "../index.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const found = (n: number) =>
  json({
    ref: "ada/reply",
    resolvedBy: { type: "label", value: "production" },
    yanked: false,
    version: versionOf(n),
  });
const ref = "ada/reply@production";
const hours = 3_600_000;

/** The result of a promise after `ms`. */
async function after<T>(ms: number, work: Promise<T>): Promise<T | "still waiting"> {
  const settled = work.catch((error: Error) => error as T);
  await vi.advanceTimersByTimeAsync(ms);
  return Promise.race([settled, Promise.resolve("still waiting" as const)]);
}

describe("a registry that does not respond", () => {
  test("makes one get of a stale label wait for a second, and no other", async () => {
    const { connect, requests } = answering(found(1), silence);
    const waitUntil = vi.fn<(work: Promise<unknown>) => void>();
    const prompt = connect({ cache: { waitUntil } }).prompt(ref);
    await prompt.get();
    vi.advanceTimersByTime(2 * hours);
    const first = prompt.get();
    expect(await after(999, first)).toBe("still waiting");
    expect(await after(1, first)).toMatchObject({ version: 1, staleReason: "slow" });
    expect(waitUntil).toHaveBeenCalledTimes(1);
    for (let i = 0; i < 800; i += 1)
      expect(await after(0, prompt.get())).toMatchObject({ version: 1, staleReason: "slow" });
    expect(requests).toHaveLength(2);
    for (let i = 0; i < 800; i += 1) expect(await after(1_000, prompt.get())).toMatchObject({ version: 1 });
  });

  test.each([
    ["a fallback", {}, "fallback"],
    ["a lockfile", { lockfile }, "lockfile"],
  ])("makes one get with only %s wait for five seconds, and no other", async (_, cache, source) => {
    const { connect } = answering(silence);
    const client = connect({ cache });
    const get = (slug: string) => client.prompt(`ada/${slug}@production`, { fallback: "Hello" }).get();
    const first = get("reply");
    expect(await after(4_999, first)).toBe("still waiting");
    expect(await after(1, first)).toMatchObject({ source, staleReason: "slow" });
    expect(await after(0, get("reply"))).toMatchObject({ source, staleReason: "slow" });
    expect(await after(0, get("other"))).toMatchObject({ source: "fallback", staleReason: "slow" });
  });

  test("makes gets wait again after a response in time", async () => {
    const { client } = answering(found(1), silence, found(2), silence);
    const prompt = client.prompt(ref);
    await prompt.get();
    vi.advanceTimersByTime(2 * hours);
    await after(1_000, prompt.get());
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await after(0, prompt.get())).toMatchObject({ version: 1 });
    expect(await after(0, prompt.get())).toMatchObject({ version: 2 });
    vi.advanceTimersByTime(2 * hours);
    expect(await after(999, prompt.get())).toBe("still waiting");
  });

  test("makes a get wait for the application's patienceMs", async () => {
    const { connect } = answering(found(1), silence);
    const prompt = connect({ cache: { patienceMs: 20_000 } }).prompt(ref);
    await prompt.get();
    vi.advanceTimersByTime(2 * hours);
    const first = prompt.get();
    expect(await after(19_999, first)).toBe("still waiting");
    expect(await after(1, first)).toMatchObject({ version: 1 });
  });

  test("keeps a background request, and with it the process, for ten seconds at most", async () => {
    const { client, requests } = answering(found(1), silence);
    const prompt = client.prompt(ref);
    await prompt.get();
    vi.advanceTimersByTime(90_000);
    expect((await prompt.get()).staleReason).toBe("revalidating");
    await vi.advanceTimersByTimeAsync(9_999);
    expect(requests[1]?.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(requests[1]?.signal.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("keeps nothing running after close, and a closed client serves its cache without requests", async () => {
    const { client, requests } = answering(found(1), silence);
    const prompt = client.prompt(ref, { fallback: "Hello" });
    await prompt.get();
    vi.advanceTimersByTime(90_000);
    await prompt.get();
    await vi.advanceTimersByTimeAsync(0);
    await client.close();
    expect([requests[1]?.signal.aborted, vi.getTimerCount()]).toEqual([true, 0]);
    vi.advanceTimersByTime(2 * hours);
    expect(await prompt.get()).toMatchObject({ version: 1, staleReason: "unreachable" });
    expect((await client.prompt("ada/other", { fallback: "Hello" }).get()).source).toBe("fallback");
    await expect(client.prompt("ada/other").get()).rejects.toThrow("The client is closed.");
    expect(requests).toHaveLength(2);
  });
});

describe("a request whose caller is gone, as when a worker ends,", () => {
  const getAndLose = async (...answers: Parameters<typeof answering>) => {
    const { client, requests } = answering(...answers);
    const prompt = client.prompt(ref);
    prompt.get().catch(() => undefined);
    await vi.advanceTimersByTimeAsync(0);
    vi.clearAllTimers();
    vi.advanceTimersByTime(61_000);
    return { prompt, requests };
  };

  test("is sent again", async () => {
    const { prompt, requests } = await getAndLose(silence, found(1));
    expect(await after(1, prompt.get())).toMatchObject({ source: "network", version: 1 });
    expect(requests).toHaveLength(2);
  });

  test("is sent again once, even if the first one gets a late response", async () => {
    const late = Promise.withResolvers<Response>();
    const { prompt, requests } = await getAndLose(() => late.promise, silence);
    await after(1, prompt.get());
    late.resolve(new Response("", { status: 502 }));
    await after(1_000, prompt.get());
    await after(1_000, prompt.get());
    expect(requests).toHaveLength(2);
  });
});

describe("an unavailable registry", () => {
  test("gets one request from all callers without a cache entry, then retries with growing pauses", async () => {
    const { connect, requests } = answering(refusal(503, "unavailable"));
    const client = connect({ retries: 0 });
    for (let i = 0; i < 100; i += 1) {
      await expect(client.prompt(ref).get()).rejects.toMatchObject({ status: 503 });
      expect((await client.prompt(ref, { fallback: "Hello" }).get()).staleReason).toBe("server_error");
    }
    expect(requests).toHaveLength(1);
    for (let second = 0; second < 300; second += 1) {
      vi.advanceTimersByTime(1_000);
      await client
        .prompt(ref)
        .get()
        .catch(() => {});
    }
    expect(requests.length).toBeGreaterThan(6);
    expect(requests.length).toBeLessThan(20);
  });

  test("gets a new request at once after the cache is cleared", async () => {
    const { connect, requests } = answering(refusal(503, "unavailable"), found(1));
    const client = connect({ retries: 0 });
    await expect(client.prompt(ref).get()).rejects.toMatchObject({ status: 503 });
    client.cache.clear();
    expect((await client.prompt(ref).get()).version).toBe(1);
    expect(requests).toHaveLength(2);
  });
});

test("at most 5,000 missing prompts are remembered", { tags: "long" }, async () => {
  const { client, requests } = answering(refusal(404, "not_found"));
  const ask = (n: number) =>
    client
      .prompt(`ada/p${n}`)
      .get()
      .catch(() => undefined);
  for (let n = 0; n <= 5_000; n += 1) await ask(n);
  await ask(5_000);
  expect(requests).toHaveLength(5_001);
  await ask(0);
  expect(requests).toHaveLength(5_002);
});

describe("onEvent", () => {
  const eventsOf = async (cache: PromptCacheOptions) => {
    const events: PromptCacheEvent[] = [];
    const { connect } = answering(found(1), refusal(503, "unavailable"), refusal(404, "not_found"));
    const client = connect({ retries: 0, cache: { onEvent: (event) => void events.push(event), ...cache } });
    const get = () =>
      client
        .prompt(ref)
        .get()
        .catch(() => {});
    await get();
    await get();
    vi.advanceTimersByTime(2 * hours);
    await get();
    vi.advanceTimersByTime(60_000);
    await get();
    return events;
  };

  test("gets what was served, stored and refused", async () => {
    const prompt = { version: 1 };
    expect(await eventsOf({})).toMatchObject([
      { type: "write", ref, version: 1 },
      { type: "miss", ref, prompt: { ...prompt, source: "network" } },
      { type: "hit", ref, prompt: { ...prompt, source: "memory" } },
      { type: "failed", ref, error: { code: "unavailable" } },
      { type: "stale", ref, prompt: { ...prompt, staleReason: "server_error" } },
      { type: "refused", ref, error: { code: "not_found" } },
    ]);
  });

  test("breaks nothing if it throws or rejects", async () => {
    const { connect } = answering(found(1));
    const onEvent = vi
      .fn<() => unknown>()
      .mockImplementationOnce(() => {
        throw new Error("broken");
      })
      .mockImplementation(async () => Promise.reject(new Error("broken")));
    const prompt = connect({ cache: { onEvent } }).prompt(ref);
    expect([(await prompt.get()).version, (await prompt.get()).version]).toEqual([1, 1]);
    expect(onEvent).toHaveBeenCalledTimes(3);
  });
});
