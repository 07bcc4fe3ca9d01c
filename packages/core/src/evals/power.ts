import { z80, z95 } from "./normal.ts";

/** One case less, and not even all of them broken are more than noise. */
export const minCases = 4;

/**
 * How many cases it takes to find a drop of the pass rate (0 to 1) in four of five comparisons, at the level of 5 % (the
 * formula of Miettinen 1968 and Connor 1987). The noise is the variance of the differences that were seen, such as
 * `verdict.passRate.variance`. The drop comes on top of it, as cases that break altogether.
 * @throws {RangeError} if the drop is not above 0 and at most 1.
 */
export function casesToSee(drop: number, variance: number): number {
  if (!(drop > 0 && drop <= 1)) throw new RangeError(`A drop is above 0 and at most 1, and not ${drop}.`);
  return Math.max(Math.ceil(casesNeeded(drop, variance)), minCases);
}

/** The smallest drop of the pass rate that so many cases show in four of five comparisons; null if they show none. */
export function smallestDrop(cases: number, variance: number): number | null {
  if (cases < minCases) return null;
  let [tooSmall, enough] = [0, 1];
  while (enough - tooSmall > 1e-6) {
    const middle = (tooSmall + enough) / 2;
    if (casesNeeded(middle, variance) <= cases) enough = middle;
    else tooSmall = middle;
  }
  return enough;
}

function casesNeeded(drop: number, variance: number): number {
  const meanSquare = Math.min(variance + drop, 1);
  return ((z95 * Math.sqrt(meanSquare) + z80 * Math.sqrt(meanSquare - drop ** 2)) / drop) ** 2;
}
