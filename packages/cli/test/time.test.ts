import { expect, test } from "vitest";
import { timeArgument } from "../src/arguments.ts";

const now = Date.parse("2026-11-20T09:30:00.500Z");

test.each([
  ["90s", "2026-11-20T09:28:30.500Z"],
  ["15m", "2026-11-20T09:15:00.500Z"],
  ["2h", "2026-11-20T07:30:00.500Z"],
  ["3d", "2026-11-17T09:30:00.500Z"],
  ["1w", "2026-11-13T09:30:00.500Z"],
  ["2026-11-20", "2026-11-20T00:00:00.000Z"],
  ["2026-11-20T10:30+01:00", "2026-11-20T09:30:00.000Z"],
  ["2026-11-20T09:30:00.123Z", "2026-11-20T09:30:00.123Z"],
])("the time %s is read as %s", (text, time) => {
  expect(timeArgument(text, now)).toBe(time);
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
  "2026-13-01",
  "2026-11-20T25:00Z",
  "1969-01-01",
  "9999999w",
])("the time %j is refused", (text) => {
  expect(() => timeArgument(text, now)).toThrow("Write a time with its offset");
});
