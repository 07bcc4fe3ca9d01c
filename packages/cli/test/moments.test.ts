import { momentOption } from "../src/grammar/arguments.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fromNow } from "../src/terminal/moments.ts";

const hour = 3_600_000;

test.each([
  [5_000, "just now"],
  [-59_000, "just now"],
  [-60_000, "1 minute ago"],
  [-hour, "1 hour ago"],
  [-47 * hour, "1 day ago"],
  [-29 * 24 * hour, "29 days ago"],
  [5 * 60_000, "in 5 minutes"],
  [hour + 60_000, "in 1 hour"],
  [47 * hour, "in 2 days"],
  [92 * 24 * hour, "in 3 months"],
])("what is %i ms from now is told as %s", (ms, told) => {
  expect(fromNow(new Date(Date.now() + ms).toISOString())).toBe(told);
});

test("what is long past is told by its day", () => {
  expect(fromNow("2020-02-29T23:00:00.000Z")).toBe("2020-02-29");
});

test("a month ago begins to be told by its day", () => {
  using _ = vi.spyOn(Date, "now").mockReturnValue(Date.parse("2026-11-20T09:30:00.000Z"));
  expect(fromNow("2026-10-21T09:30:00.000Z")).toBe("2026-10-21");
  expect(fromNow("2026-10-21T09:30:00.001Z")).toBe("29 days ago");
  expect(fromNow("2026-12-20T09:30:00.000Z")).toBe("in 1 month");
});

describe("a moment", () => {
  beforeEach(() => void vi.useFakeTimers({ now: new Date("2026-11-20T09:30:00.500Z") }));
  afterEach(() => void vi.useRealTimers());

  test.each([
    ["90s", "2026-11-20T09:28:30.500Z"],
    ["15m", "2026-11-20T09:15:00.500Z"],
    ["2h", "2026-11-20T07:30:00.500Z"],
    ["3d", "2026-11-17T09:30:00.500Z"],
    ["1w", "2026-11-13T09:30:00.500Z"],
    ["2026-11-20", "2026-11-20T00:00:00.000Z"],
    ["2026-11-20T10:30+01:00", "2026-11-20T09:30:00.000Z"],
    ["2026-11-20T09:30:00.5+02:00", "2026-11-20T07:30:00.500Z"],
  ])("written as %s is read as %s", (text, moment) => {
    expect(momentOption(text)).toBe(moment);
  });

  test.each([
    "",
    "2",
    "h",
    "-2h",
    "2 h",
    "2y",
    "yesterday",
    "2026-11-20T09:30",
    "2026-02-31",
    "2026-02-30T09:30Z",
    "2026-13-01",
    "2026-11-20T25:00Z",
    "1969-01-01",
    "9999999w",
  ])("written as %j is refused with what can be written", (text) => {
    expect(() => momentOption(text)).toThrow("Write a time with its offset");
  });
});
