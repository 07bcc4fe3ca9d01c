import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mcNemarMidP } from "./mcnemar.ts";
import { casesToSee, smallestDrop } from "./power.ts";

const drops = fc.double({ min: 0.005, max: 1, noNaN: true });
const variances = fc.double({ min: 0, max: 0.5, noNaN: true });

/** How likely so many cases show the drop, by all numbers of broken and fixed cases. */
function powerOf(cases: number, drop: number, noise: number): number {
  const logFactorials = [0];
  for (let i = 1; i <= cases; i++) logFactorials.push(logFactorials[i - 1]! + Math.log(i));
  const [breaks, fixes] = [noise / 2 + drop, noise / 2];
  let power = 0;
  for (let broken = 0; broken <= cases; broken++) {
    for (let fixed = 0; fixed < broken && broken + fixed <= cases; fixed++) {
      if (mcNemarMidP(broken, fixed) >= 0.05) break;
      const same = cases - broken - fixed;
      power += Math.exp(
        logFactorials[cases]! -
          logFactorials[broken]! -
          logFactorials[fixed]! -
          logFactorials[same]! +
          broken * Math.log(breaks) +
          (fixed && fixed * Math.log(fixes)) +
          same * Math.log(1 - breaks - fixes),
      );
    }
  }
  return power;
}

describe("the number of cases for a drop", () => {
  test.each([
    [0.05, 0],
    [0.05, 0.1],
    [0.06, 0.15],
    [0.2, 0.1],
  ])("of %d with a noise of %d finds it four times of five", (drop, noise) => {
    expect(powerOf(casesToSee(drop, noise), drop, noise)).toBeGreaterThan(0.76);
    expect(powerOf(casesToSee(drop, noise), drop, noise)).toBeLessThan(0.88);
  });

  test("is smaller for a larger drop, and larger for more noise", () => {
    fc.assert(
      fc.property(drops, variances, (drop, variance) => {
        const cases = casesToSee(drop, variance);
        expect(cases).toBeGreaterThanOrEqual(4);
        expect(casesToSee(Math.min(drop * 1.2, 1), variance)).toBeLessThanOrEqual(cases);
        expect(casesToSee(drop, variance + 0.1)).toBeGreaterThanOrEqual(cases);
      }),
    );
  });

  test("and the smallest drop that they show are each other's reverse", () => {
    fc.assert(
      fc.property(drops, variances, (drop, variance) => {
        const smallest = smallestDrop(casesToSee(drop, variance), variance)!;
        expect(smallest).toBeLessThanOrEqual(drop + 1e-5);
        expect(casesToSee(smallest, variance)).toBeLessThanOrEqual(casesToSee(drop, variance));
      }),
    );
  });

  test("is at least four: three show nothing, whatever becomes of them", () => {
    expect([casesToSee(1, 0), smallestDrop(3, 0)]).toEqual([4, null]);
    expect(smallestDrop(4, 0)).toBeLessThanOrEqual(1);
  });

  test.each([0, -0.1, 1.1, NaN])("refuses a drop of %d", (drop) => {
    expect(() => casesToSee(drop, 0.1)).toThrow(RangeError);
  });
});
