import { expect, test } from "vitest";
import { ahead } from "./ahead.ts";

const collect = async (values: AsyncIterable<number>, into: number[] = []) => {
  for await (const value of values) into.push(value);
  return into;
};

test("a few are worked on at once, and their results come in order", async () => {
  let [running, most] = [0, 0];
  const work = async (item: number) => {
    most = Math.max(most, (running += 1));
    for (let turn = 9; turn > item; turn -= 1) await Promise.resolve();
    running -= 1;
    return item * 10;
  };
  for (const count of [0, 1, 4, 5, 9]) {
    const items = Array.from({ length: count }, (_, at) => at);
    expect(await collect(ahead(items, work))).toEqual(items.map((item) => item * 10));
  }
  expect(most).toBe(4);
});

test("what fails is thrown when it is its turn, and nothing else of it is heard", async () => {
  const got: number[] = [];
  const work = async (item: number) => {
    if (item === 2) throw new Error("two");
    return item;
  };
  await expect(collect(ahead([0, 1, 2, 3, 4], work), got)).rejects.toThrow("two");
  expect(got).toEqual([0, 1]);
});
