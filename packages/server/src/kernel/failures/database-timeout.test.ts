import { afterEach, expect, test, vi } from "vitest";
import { withDatabaseTimeout } from "./database-timeout.ts";

afterEach(() => vi.useRealTimers());

test("work that comes too late is refused, and its result is given back to be freed", async () => {
  vi.useFakeTimers();
  const work = Promise.withResolvers<string>();
  const late: string[] = [];
  const refused = withDatabaseTimeout(work.promise, (result) => late.push(result)).catch(
    (error: Error) => error.message,
  );
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await refused).toBe("no database connection became free in time");
  work.resolve("a stream");
  await vi.advanceTimersByTimeAsync(0);
  expect(late).toEqual(["a stream"]);
});

test("work in time is not given back", async () => {
  const late: string[] = [];
  expect(await withDatabaseTimeout(Promise.resolve("a stream"), (result) => late.push(result))).toBe(
    "a stream",
  );
  expect(late).toEqual([]);
});
