import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { answering, json, refusal, silence } from "../test/answers.ts";
import { ConnectionError } from "./index.ts";

// The first call loads the operations, which takes real time.
beforeAll(() => import("./operations.ts"));
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The error of the call after `ms`. */
async function failureWithin(ms: number, calling: Promise<unknown>): Promise<unknown> {
  const failure = calling.then(
    () => "no failure",
    (error: unknown) => error,
  );
  await vi.advanceTimersByTimeAsync(ms);
  return await Promise.race([failure, Promise.resolve("still waiting")]);
}

describe("the deadline", () => {
  test("ends an attempt whose own limit is later, and the error names the deadline", async () => {
    const { connect } = answering(silence);
    const calling = connect({ timeoutMs: 30_000, deadlineMs: 5_000 }).users.me.get();
    const failure = await failureWithin(5_000, calling);
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(failure).toMatchObject({
      message: expect.stringContaining("within 5 seconds, all attempts together (deadlineMs)"),
    });
  });

  test("is not named if the attempt reached its own limit", async () => {
    const { connect } = answering(silence);
    const calling = connect({ timeoutMs: 2_000, deadlineMs: 5_000 }).users.me.get();
    expect(await failureWithin(2_000, calling)).toMatchObject({
      message: expect.stringContaining("within 2 seconds (timeoutMs)"),
    });
  });

  test("includes earlier attempts, and the waits between them", async () => {
    const { connect, requests } = answering(refusal(503, "unavailable", { "retry-after": "4" }), silence);
    const calling = connect({ deadlineMs: 10_000 }).users.me.get();
    const failure = failureWithin(10_000, calling);
    expect(await failure).toMatchObject({ message: expect.stringContaining("deadlineMs") });
    expect(requests).toHaveLength(2);
  });

  test("holds for a response that begins and never ends", async () => {
    const endless = () =>
      new Response(new ReadableStream(), { headers: { "content-type": "application/json" } });
    const { connect } = answering(endless);
    const calling = connect({ deadlineMs: 5_000 }).users.me.get();
    expect(await failureWithin(5_000, calling)).toBeInstanceOf(ConnectionError);
  });

  test("of a prompt is 60 seconds, also if its response arrives byte by byte, and of other calls ten minutes then", async () => {
    const trickle = () => {
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>) =>
        new Promise<void>((resolve) => {
          setTimeout(() => resolve(controller.enqueue(new Uint8Array([32]))), 1_000);
        });
      return new Response(new ReadableStream({ pull }), { headers: { "content-type": "application/json" } });
    };
    const { client, requests } = answering(trickle);
    const other = client.users.me.get();
    expect(await failureWithin(60_001, client.prompt("ada/reply").get())).toBeInstanceOf(ConnectionError);
    expect(requests.filter(({ url }) => url.includes("reply"))).toHaveLength(1);
    expect(await failureWithin(539_000, other)).toBe("still waiting");
    expect(await failureWithin(2_000, other)).toMatchObject({
      message: expect.stringContaining("within 600 seconds"),
      operation: "users.me.get",
    });
  });

  test("can be set for a single call, as can the limit of an attempt", async () => {
    const { client } = answering(silence);
    const hurried = client.users.me.get({}, { deadlineMs: 1_000 });
    expect(await failureWithin(1_000, hurried)).toMatchObject({
      message: expect.stringContaining("within 1 second"),
    });
    const patient = client.users.me.get({}, { timeoutMs: 120_000 });
    expect(await failureWithin(119_000, patient)).toBe("still waiting");
    expect(await failureWithin(1_000, patient)).toBeInstanceOf(ConnectionError);
  });

  test("can be none at all", async () => {
    const { connect } = answering(silence);
    const calling = connect({ timeoutMs: 0, deadlineMs: 0 }).users.me.get();
    expect(await failureWithin(0, calling)).toBeInstanceOf(ConnectionError);
  });

  test("can be infinite", async () => {
    const { connect } = answering(
      refusal(429, "rate_limited", { "retry-after": "3600" }),
      json({ ok: true }),
    );
    const calling = connect({ timeoutMs: Infinity, deadlineMs: Infinity }).users.me.get();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(await calling).toEqual({ ok: true });
  });

  test("does not end a download that has begun", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const { connect } = answering(() => new Response(readable));
    const response = await connect({ deadlineMs: 1_000, timeoutMs: 1_000 }).prompts.raw.get({
      owner: "ada",
      slug: "reply",
    });
    await vi.advanceTimersByTimeAsync(100_000);
    const writer = writable.getWriter();
    void writer.write(new TextEncoder().encode("late"));
    void writer.close();
    expect(await response.text()).toBe("late");
  });
});

describe("a wait beyond the deadline", () => {
  test.each([
    ["as seconds", () => "11"],
    ["as a date", () => new Date(Date.now() + 12_000).toUTCString()],
  ])("fails the call at once with its last error: Retry-After %s", async (_, after) => {
    const { connect, requests } = answering(refusal(503, "unavailable", { "retry-after": after() }));
    const failure = await failureWithin(0, connect({ deadlineMs: 10_000 }).users.me.get());
    expect(failure).toMatchObject({ code: "unavailable", requestId: "req-1" });
    expect((failure as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(10_000);
    expect(requests).toHaveLength(1);
  });

  test("fails the call at once also without Retry-After", async () => {
    const { connect, requests } = answering(refusal(503, "unavailable"));
    const failure = await failureWithin(0, connect({ deadlineMs: 100 }).users.me.get());
    expect(failure).toMatchObject({ code: "unavailable", retryAfterMs: undefined });
    expect(requests).toHaveLength(1);
  });
});

describe("a token that never comes", () => {
  test("fails the call at the deadline", async () => {
    const { connect, requests } = answering(json({}));
    const calling = connect({ token: () => new Promise(() => {}), deadlineMs: 3_000 }).users.me.get();
    expect(await failureWithin(3_000, calling)).toMatchObject({
      name: "ConnectionError",
      message: "The token function did not return within 3 seconds (deadlineMs).",
    });
    expect(requests).toHaveLength(0);
  });

  test("lets the caller abort", async () => {
    const { connect } = answering(json({}));
    const abort = new AbortController();
    const client = connect({ token: () => new Promise(() => {}) });
    const calling = client.users.me.get({}, { signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(calling).rejects.toThrow("enough");
  });
});
