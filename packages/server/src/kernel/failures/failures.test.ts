import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { apiError } from "@promptreg/core/errors";
import { type Failures, openFailures } from "./failures.ts";
import { openLog } from "./log.ts";

let log: { operation: string; requestId?: string; count?: number; err: { message?: string } }[];
let suspected: number;
let failures: Failures;

beforeEach(() => {
  vi.useFakeTimers();
  log = [];
  suspected = 0;
  const readiness = {
    suspect: () => void suspected++,
    check: async () => ({ isReadOnly: false }),
    isStopping: false,
    stop: () => {},
  };
  failures = openFailures(openLog({ write: (line) => void log.push(JSON.parse(line)) }), readiness);
});
afterEach(() => vi.useRealTimers());

const fail = (operation: string, requestId: string, error: unknown = new Error("one")) =>
  failures.report(error, { operation, requestId, status: 500, ms: 12 });

describe("failures", () => {
  test("of different kinds are logged at once, one line each", () => {
    fail("prompts.get", "a");
    fail("prompts.get", "b", new Error("another"));
    fail("prompts.list", "c");
    expect(log).toMatchObject([
      { operation: "prompts.get", requestId: "a", status: 500, ms: 12, err: { message: "one" } },
      { operation: "prompts.get", requestId: "b", err: { message: "another" } },
      { operation: "prompts.list", requestId: "c", err: { message: "one" } },
    ]);
  });

  test("of the server are errors, those of the moment warnings, and of refusals two are worth a line", () => {
    fail("prompts.get", "a");
    fail("prompts.list", "b", apiError("unavailable"));
    for (const code of ["rate_limited", "invalid_token", "not_found", "forbidden"])
      failures.refuse(code, { operation: "prompts.get", network: "192.0.2.7" });
    expect(log).toMatchObject([
      { level: 50, msg: "failed" },
      { level: 40, msg: "failed" },
      { level: 30, msg: "refused", code: "rate_limited", network: "192.0.2.7" },
      { level: 30, msg: "refused", code: "invalid_token" },
    ]);
  });

  test("of one kind share a line a second with their count, and are logged at once again after a pause", () => {
    for (let i = 0; i < 500; i++) fail("prompts.get", `first ${i}`);
    expect(log).toHaveLength(1);
    vi.advanceTimersByTime(1_000);
    for (let i = 0; i < 70; i++) fail("prompts.get", `second ${i}`);
    vi.advanceTimersByTime(10_000);
    expect(log.slice(1)).toMatchObject([
      { requestId: "first 499", count: 499 },
      { requestId: "second 69", count: 70 },
    ]);
    expect(vi.getTimerCount()).toBe(0);
    fail("prompts.get", "later");
    expect(log[3]).toMatchObject({ requestId: "later" });
  });

  test("of very many kinds write few lines, and what still waits is written at the stop", () => {
    for (let i = 0; i < 10_000; i++) fail("prompts.get", "a", new Error(String(i)));
    expect(log.length).toBeLessThan(200);
    failures.stop();
    expect(log.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(10_000);
  });

  test("of the database start a check of it, and others do not", () => {
    fail("prompts.get", "a");
    fail("prompts.get", "b", apiError("unavailable"));
    fail("prompts.get", "c", Object.assign(new Error(""), { code: "CONNECTION_LOST" }));
    expect(suspected).toBe(2);
  });
});
