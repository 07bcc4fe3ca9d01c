import { expect, test } from "vitest";
import { Slices } from "./slices.ts";

const noSignal = new AbortController().signal;

test("the next slice is for the account that used least, whoever came first", async () => {
  const slices = new Slices(1);
  const first = await slices.take(0, noSignal);
  const order: number[] = [];
  const waiting = [500, 20, 3_000].map(async (usedMs) => {
    const slice = await slices.take(usedMs, noSignal);
    order.push(usedMs);
    slice.end();
  });
  first.end();
  await Promise.all(waiting);
  expect(order).toEqual([20, 500, 3_000]);
});

test("a slice says how long it was", async () => {
  const before = performance.now();
  const slice = await new Slices(1).take(0, noSignal);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const ms = slice.end();
  expect(ms).toBeGreaterThan(15);
  expect(ms).toBeLessThanOrEqual(performance.now() - before);
});

test("who is aborted gets no slice, and takes none away", async () => {
  const slices = new Slices(1);
  const first = await slices.take(0, noSignal);
  const aborting = new AbortController();
  const aborted = slices.take(0, aborting.signal);
  aborting.abort(new Error("cancelled"));
  await expect(aborted).rejects.toThrow("cancelled");
  await expect(slices.take(0, aborting.signal)).rejects.toThrow("cancelled");
  first.end();
  await slices.take(0, noSignal);
});
