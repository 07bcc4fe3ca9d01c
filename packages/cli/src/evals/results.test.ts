import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { batches } from "./results.ts";

test("a batch holds no more values than the server reads in one body", async () => {
  const assertions = Array.from({ length: 100 }, () => ({ type: "equals", passed: true }));
  const results = Array.from({ length: 1000 }, (_, index) => ({
    index,
    caseKey: `case-${index}`,
    status: "passed" as const,
    assertions,
  }));
  const sizes: number[] = [];
  for await (const batch of batches(Readable.from(results))) sizes.push(batch.length);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(1000);
  // A hundred assertions of four fields and a comma each.
  expect(Math.max(...sizes) * 500).toBeLessThan(100_000);
  expect(sizes).toEqual([174, 174, 174, 174, 174, 130]);
});

test("a batch holds no more than eight mebibytes", async () => {
  const results = Array.from({ length: 20 }, (_, index) => ({
    index,
    caseKey: `case-${index}`,
    status: "passed" as const,
    output: "x".repeat(1024 * 1024),
  }));
  const sizes: number[] = [];
  for await (const batch of batches(Readable.from(results))) sizes.push(batch.length);
  expect(sizes).toEqual([7, 7, 6]);
});

test.each([
  [0, []],
  [1, [1]],
  [1000, [1000]],
  [1001, [1000, 1]],
])("of %i short results a batch holds a thousand", async (count, wanted) => {
  const results = Array.from({ length: count }, (_, index) => ({
    index,
    caseKey: `${index}`,
    status: "passed" as const,
  }));
  const sizes: number[] = [];
  for await (const batch of batches(Readable.from(results))) sizes.push(batch.length);
  expect(sizes).toEqual(wanted);
});

test("a batch holds exactly as much as may be", async () => {
  const bare = { index: 0, caseKey: "", status: "passed" as const };
  // Half of eight mebibytes each, in JSON.
  const half = (more: number) => {
    const length = 4 * 1024 ** 2 - JSON.stringify({ ...bare, output: "" }).length + more;
    return { ...bare, output: "x".repeat(length) };
  };
  const sizesOf = async (...results: object[]) => {
    const sizes: number[] = [];
    for await (const batch of batches(Readable.from(results))) sizes.push(batch.length);
    return sizes;
  };
  expect(await sizesOf(half(0), half(0))).toEqual([2]);
  expect(await sizesOf(half(0), half(1))).toEqual([1, 1]);
  const assertions = (count: number) => ({
    ...bare,
    assertions: Array.from({ length: count }, () => ({ type: "equals", passed: true })),
  });
  // 90,000 values are two results of 15, and 17,994 assertions of 5.
  expect(await sizesOf(assertions(17_993), assertions(1))).toEqual([2]);
  expect(await sizesOf(assertions(17_993), assertions(2))).toEqual([1, 1]);
});
