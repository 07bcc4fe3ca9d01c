import { expect, test } from "vitest";
import { assertionOfCell } from "./assertions.ts";

test.each(["latency", "cost", "not-latency", "not-cost"])("a cell of %s is its threshold", (type) => {
  expect(assertionOfCell(type, "5")).toEqual({ type, threshold: 5 });
});

test.each(["equals", "x-latency", "cost-x"])("a cell of %s is its value", (type) => {
  expect(assertionOfCell(type, "5")).toEqual({ type, value: "5" });
});
