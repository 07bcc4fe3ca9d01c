import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { cli } from "./registry.ts";
import { Interrupted } from "../src/errors.ts";
import { createRateLimitFetch, notingWaits } from "../src/requests/rate-limits.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const url = "http://registry.test/";
const tooMany = (seconds: string) => new Response("", { status: 429, headers: { "retry-after": seconds } });

test("all requests wait for as long as the server says, and say so", { tags: "long" }, async () => {
  const answers = [tooMany("2"), new Response("a"), new Response("b")];
  const bodies: string[] = [];
  const send: typeof globalThis.fetch = async (_, init) => {
    bodies.push(init?.body as string);
    return answers.shift() ?? Response.error();
  };
  const told: string[] = [];
  const { fetch, waiting } = createRateLimitFetch(
    send,
    () => undefined,
    30_000,
    (text) => told.push(text),
  );
  const first = fetch(url, { method: "POST", body: "first" });
  await vi.waitFor(() => expect(waiting()).toBe("; the server asks to wait 2 seconds"));
  const second = fetch(url, { method: "POST", body: "second" });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(bodies).toEqual(["first"]);
  expect(waiting()).toBe("; the server asks to wait 1 second");
  await vi.advanceTimersByTimeAsync(1_000);
  await Promise.all([first, second]);
  expect(bodies.toSorted()).toEqual(["first", "first", "second"]);
  expect(waiting()).toBe("");
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/^The server asks to wait \d+ seconds?\.$/);
});

test.each([
  ["2", ["The server asks to wait 2 seconds."]],
  ["1", []],
  ["soon", []],
])("a single request that is to wait for %s says so beyond a second", async (seconds, notes) => {
  const said: string[] = [];
  const { status } = await notingWaits(
    async () => tooMany(seconds),
    (text) => said.push(text),
  )(url);
  expect([status, said]).toEqual([429, notes]);
});

test("a command that waits for one request says so", async () => {
  vi.useRealTimers();
  const { stderr, exitCode } = await cli(["api", "models.list"], {
    env: { PROMPTREG_URL: url },
    fetch: async () => tooMany("100"),
  });
  expect([stderr.split("\n")[0], exitCode]).toEqual(["The server asks to wait 100 seconds.", 7]);
});

test.each(["an interrupt", "the caller"])("%s ends the wait", async (which) => {
  const [interrupt, caller] = [new AbortController(), new AbortController()];
  const { fetch, waiting } = createRateLimitFetch(
    async () => tooMany("2"),
    () => interrupt.signal,
    30_000,
  );
  const answer = fetch(url, { signal: caller.signal }).catch((error: unknown) => error);
  await vi.waitFor(() => expect(waiting()).not.toBe(""));
  const reason = new Error("Enough.");
  (which === "the caller" ? caller : interrupt).abort(reason);
  const stopped = new Interrupted("Stopped while waiting for the rate limit.");
  expect(await answer).toEqual(which === "the caller" ? reason : stopped);
});

test("no time is waited for that is over a moment later", async () => {
  vi.useRealTimers();
  const warned = vi.fn<() => void>();
  process.on("warning", warned);
  let now = 0;
  // Each look at the clock takes longer than there is left to wait.
  vi.spyOn(performance, "now").mockImplementation(() => (now += 700));
  const answers = [tooMany("1"), new Response("a")];
  const { fetch } = createRateLimitFetch(
    async () => answers.shift() ?? Response.error(),
    () => undefined,
    30_000,
  );
  await fetch(url, {});
  await new Promise(setImmediate);
  expect(warned).not.toHaveBeenCalled();
  process.off("warning", warned);
  vi.restoreAllMocks();
});

test("a 429 that does not say for how long is handed on", async () => {
  const { fetch } = createRateLimitFetch(
    async () => new Response("", { status: 429 }),
    () => undefined,
    30_000,
  );
  expect((await fetch(url, {})).status).toBe(429);
});

test("a server that is away for more than half a minute is not waited for", async () => {
  const after = (seconds: string) =>
    createRateLimitFetch(
      async () => new Response("", { status: 503, headers: { "retry-after": seconds } }),
      () => undefined,
      30_000,
    ).fetch(url, {});
  await expect(after("31")).rejects.toMatchObject({ status: 503, code: "unavailable" });
  expect((await after("30")).status).toBe(503);
});

test("a server that never answers is given up", async () => {
  const send: typeof globalThis.fetch = (_, init) =>
    new Promise((_, reject) => {
      const signal = init?.signal;
      signal?.addEventListener("abort", () => reject(signal.reason as Error));
    });
  const answer = createRateLimitFetch(send, () => undefined, 30_000)
    .fetch(url, {})
    .catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await answer).toMatchObject({
    name: "ConnectionError",
    message: "http://registry.test did not answer within 30 seconds.",
  });
});

test("an upload may take ten minutes", async () => {
  const signals: AbortSignal[] = [];
  const send: typeof globalThis.fetch = (_, init) => {
    if (init?.signal) signals.push(init.signal);
    return new Promise(() => {});
  };
  void createRateLimitFetch(send, () => undefined, 30_000).fetch(url, { body: new FormData() });
  await vi.advanceTimersByTimeAsync(599_999);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  await vi.advanceTimersByTimeAsync(1);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});
