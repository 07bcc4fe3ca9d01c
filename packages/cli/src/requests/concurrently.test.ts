import { expect, test } from "vitest";
import { eachConcurrently } from "./concurrently.ts";

const items = Array.from({ length: 30 }, (_, nth) => nth);

test("eight are worked on at once, and no more", async () => {
  let [running, most] = [0, 0];
  await eachConcurrently(items, async () => {
    most = Math.max(most, (running += 1));
    await new Promise(setImmediate);
    running -= 1;
  });
  expect([running, most]).toEqual([0, 8]);
});

test("after a failure what has begun ends, and nothing more begins", async () => {
  const [begun, ended]: [number[], number[]] = [[], []];
  const work = async (nth: number) => {
    begun.push(nth);
    await new Promise(setImmediate);
    if (nth === 2) throw new Error("Two");
    ended.push(nth);
  };
  await expect(eachConcurrently(items, work)).rejects.toThrow("Two");
  // Those before it have each begun another.
  expect([begun.length, ended.length]).toEqual([10, 9]);
});

test("once it is stopped nothing more begins, and that is no failure", async () => {
  const stop = new AbortController();
  const begun: number[] = [];
  const work = async (nth: number) => {
    begun.push(nth);
    stop.abort();
  };
  await eachConcurrently(items, work, stop.signal);
  expect(begun).toEqual([0]);
});
