import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Turns } from "./turns.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Work that records its start, and runs until `end` is called. */
function tasks(turns: Turns, key: string, names: string[]) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const results = names.map((name) =>
    turns.take(key, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    }),
  );
  const end = async (name: string) => {
    ends.get(name)?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { begun, end, results };
}

test("a limited number runs at once, and the others wait in order", async () => {
  const { begun, end, results } = tasks(new Turns(2), "a", ["1", "2", "3", "4"]);
  expect(begun).toEqual(["1", "2"]);
  await end("2");
  expect(begun).toEqual(["1", "2", "3"]);
  await end("1");
  expect(begun).toEqual(["1", "2", "3", "4"]);
  await end("3");
  await end("4");
  expect(await Promise.all(results)).toEqual(["1", "2", "3", "4"]);
});

test("work does not wait for another key", () => {
  const turns = new Turns(1);
  tasks(turns, "a", ["1", "2", "3"]);
  expect(tasks(turns, "b", ["1"]).begun).toEqual(["1"]);
});

test("work that fails gives its turn to the next", async () => {
  const turns = new Turns(1);
  const failing = turns.take("a", () => Promise.reject(new Error("no")));
  const next = turns.take("a", async () => "next");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("next");
});

test("work that waits for ten seconds is refused, and never starts", async () => {
  const { begun, end, results } = tasks(new Turns(1), "a", ["1", "2"]);
  await Promise.all([
    expect(results[1]).rejects.toMatchObject({ code: "rate_limited", status: 429 }),
    vi.advanceTimersByTimeAsync(10_000),
  ]);
  await end("1");
  expect(begun).toEqual(["1"]);
  expect(await results[0]).toBe("1");
});
