import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mcNemarMidP, passRateInterval } from "./mcnemar.ts";

const counts = fc.nat({ max: 100_000 });

/** The same by its definition, for numbers that no logarithm is needed for. */
function byDefinition(broken: number, fixed: number): number {
  const n = broken + fixed;
  const ways = Array.from({ length: n + 1 }, () => 1);
  for (let k = 1; k <= n; k++) ways[k] = (ways[k - 1]! * (n - k + 1)) / k;
  return ways.reduce((p, way, k) => p + (k > broken ? way : k === broken ? way / 2 : 0), 0) / 2 ** n;
}

describe("McNemar's mid-p", () => {
  // Fagerland, Lydersen, Laake 2013 gives both sides together: 0.0391 for the first.
  test.each([
    [7, 1, 0.0390625 / 2],
    [16, 6, 0.01734483242034912],
    [25, 2, 1.5161931514740005e-6],
    [100, 70, 0.01075327123162513],
    [50_300, 49_700, 0.028890140074605643],
  ])("of %i broken and %i fixed cases is %d", (broken, fixed, p) => {
    expect(mcNemarMidP(broken, fixed) / p).toBeCloseTo(1, 8);
  });

  test("is the binomial by its definition", () => {
    for (let broken = 0; broken <= 30; broken++)
      for (let fixed = 0; fixed <= 30; fixed++)
        expect(mcNemarMidP(broken, fixed)).toBeCloseTo(byDefinition(broken, fixed), 12);
  });

  test("halves with each case that breaks while none is fixed", () => {
    for (const broken of [0, 1, 2, 3, 4]) expect(mcNemarMidP(broken, 0)).toBeCloseTo(0.5 ** (broken + 1), 12);
  });

  test("is a probability, and both directions together are one", () => {
    fc.assert(
      fc.property(counts, counts, (broken, fixed) => {
        const p = mcNemarMidP(broken, fixed);
        expect(p).toBeGreaterThanOrEqual(0);
        expect(p + mcNemarMidP(fixed, broken)).toBeCloseTo(1, 8);
      }),
    );
  });

  test("falls with each broken case, and rises with each fixed one", () => {
    fc.assert(
      fc.property(fc.nat({ max: 500 }), fc.nat({ max: 500 }), (broken, fixed) => {
        const p = mcNemarMidP(broken, fixed);
        expect(mcNemarMidP(broken + 1, fixed)).toBeLessThan(p + 1e-12);
        expect(mcNemarMidP(broken, fixed + 1)).toBeGreaterThan(p - 1e-12);
      }),
    );
  });
});

describe("the interval of the pass rate", () => {
  // Bonett's package for R prints an estimate of 0.44 with a standard error of 0.09448809 for these.
  test("is that of Bonett and Price", () => {
    const half = 1.644854 * 0.09448809;
    expect(passRateInterval(26, 4, 48)[0]).toBeCloseTo(-0.44 - half, 6);
    expect(passRateInterval(26, 4, 48)[1]).toBeCloseTo(-0.44 + half, 6);
  });

  test("is never wider than what a rate can change, and holds no change if none was seen", () => {
    expect(passRateInterval(1, 0, 1)[0]).toBe(-1);
    const [low, high] = passRateInterval(0, 0, 20);
    expect([low, high]).toEqual([-high, -low]);
    expect(high).toBeGreaterThan(0.1);
  });
});
