import { expect, test } from "vitest";
import { bar } from "./bars.ts";

test.each([
  [-1, 5, ""],
  [0, 5, ""],
  [0, 0, ""],
  [-2, -1, ""],
  [0.001, 5, "▏"],
  [5, 5, "█".repeat(40)],
  [2.5, 5, "█".repeat(20)],
  [1, 320, "▏"],
  [9, 320, "█▏"],
])("%f of at most %f has the bar '%s'", (value, largest, drawn) => {
  expect(bar(value, largest)).toBe(drawn);
});
