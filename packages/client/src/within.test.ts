import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { within } from "./within.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new Promise<string>(() => {});

test("work in time gives its result, and leaves no timer that keeps the process alive", async () => {
  expect(await within(1_000, Promise.resolve("done"))).toBe("done");
  await expect(within(1_000, Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(vi.getTimerCount()).toBe(0);
});

test("work that takes longer gives undefined", async () => {
  const waiting = within(1_000, never);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await waiting).toBeUndefined();
});

test("an abort before or during the wait rejects at once, and leaves no listener or timer", async () => {
  const abort = new AbortController();
  const removed = vi.spyOn(abort.signal, "removeEventListener");
  const waiting = within(1_000, never, abort.signal);
  abort.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await expect(within(1_000, never, abort.signal)).rejects.toThrow("enough");
  expect(removed).toHaveBeenCalledTimes(2);
  expect(vi.getTimerCount()).toBe(0);
});

test("a month, which is too long for a timer, does not end early", async () => {
  const waiting = within(2 ** 31, never);
  expect(vi.getTimerCount()).toBe(0);
  expect(await Promise.race([waiting, Promise.resolve("still waiting")])).toBe("still waiting");
});
