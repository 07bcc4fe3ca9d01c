import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { within } from "./within.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new Promise<string>(() => {});

test("work in time gives what it gives, and leaves no timer that would hold a process", async () => {
  expect(await within(1_000, Promise.resolve("done"))).toBe("done");
  await expect(within(1_000, Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(vi.getTimerCount()).toBe(0);
});

test("work that takes longer gives nothing", async () => {
  const waiting = within(1_000, never);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await waiting).toBeUndefined();
});

test("whoever gives up hears it at once, before or during the wait, and leaves nothing behind", async () => {
  const abort = new AbortController();
  const removed = vi.spyOn(abort.signal, "removeEventListener");
  const waiting = within(1_000, never, abort.signal);
  abort.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await expect(within(1_000, never, abort.signal)).rejects.toThrow("enough");
  expect(removed).toHaveBeenCalledTimes(2);
  expect(vi.getTimerCount()).toBe(0);
});

test("a month, which no timer holds, ends nothing early", async () => {
  const waiting = within(2 ** 31, never);
  expect(vi.getTimerCount()).toBe(0);
  expect(await Promise.race([waiting, Promise.resolve("still waiting")])).toBe("still waiting");
});
