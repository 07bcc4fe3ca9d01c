import { expect, test } from "vitest";
import { type Measured, judge } from "./judge.ts";

const difference = (pWorse: number, change = -0.5) => ({ pWorse, change }) as Measured["score"];
const fellOf = (measured: Measured) => judge(measured, { maxDrop: 0, obstacle: undefined }).fell;

test("a measure fell if its test is below the level, or below half of it if the other one's is not", () => {
  const alone = (p: number) => fellOf({ passRate: difference(p), score: null });
  expect([alone(0.049), alone(0.05)]).toEqual([["passRate"], []]);
  const beside = (p: number, other: number) => fellOf({ passRate: difference(other), score: difference(p) });
  expect([beside(0.049, 0.049), beside(0.024, 0.05), beside(0.025, 0.05)]).toEqual([
    ["passRate", "score"],
    ["score"],
    [],
  ]);
});

test("a drop of as much as is allowed, or of as much as sums are rounded beyond it, is none", () => {
  const regressed = (change: number) =>
    judge({ passRate: difference(0.01, change), score: null }, { maxDrop: 0.1, obstacle: undefined })
      .regressed;
  expect([regressed(-0.1), regressed(-(0.1 + 1e-9)), regressed(-0.1001)]).toEqual([[], [], ["passRate"]]);
});
