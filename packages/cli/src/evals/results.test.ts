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
