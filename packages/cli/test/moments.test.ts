import { expect, test } from "vitest";
import { ago, momentOption } from "../src/moments.ts";

const before = (ms: number) => new Date(Date.now() - ms).toISOString();
const hour = 3_600_000;

test.each([
  [-5_000, "just now"],
  [59_000, "just now"],
  [60_000, "1 minute ago"],
  [hour, "1 hour ago"],
  [47 * hour, "1 day ago"],
  [29 * 24 * hour, "29 days ago"],
])("what was %i ms before is told as %s", (ms, told) => {
  expect(ago(before(ms))).toBe(told);
});

test("what is long past is told by its day", () => {
  expect(ago("2020-02-29T23:00:00.000Z")).toBe("2020-02-29");
});

test.each([
  ["2026-11-20", "2026-11-20T00:00:00.000Z"],
  ["2026-11-20T09:30Z", "2026-11-20T09:30:00.000Z"],
  ["2026-11-20T09:30:00.5+02:00", "2026-11-20T07:30:00.500Z"],
])("%s is read as a moment", (text, moment) => {
  expect(momentOption(text)).toBe(moment);
});

test("how long ago is read as the moment it was", () => {
  const apart = Date.parse(momentOption("2h")) - Date.parse(momentOption("3d"));
  expect(Math.round(apart / hour)).toBe(70);
});

test.each(["yesterday", "2026-11-20T09:30", "2026-02-30T09:30Z", "2026-11-20T09:30:00", "-2h", "2 h", ""])(
  "%j is refused with what can be written",
  (text) => {
    expect(() => momentOption(text)).toThrow("Write a time with its offset");
  },
);
