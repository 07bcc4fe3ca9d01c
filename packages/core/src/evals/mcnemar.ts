import { z95 } from "./normal.ts";

/**
 * McNemar's test in its mid-p form, one-sided: how likely at least so many of the cases that changed are broken, if each
 * was as likely to be fixed. The observed number counts half. It is the exact binomial, for any number of cases.
 */
export function mcNemarMidP(broken: number, fixed: number): number {
  if (broken < fixed) return 1 - mcNemarMidP(fixed, broken);
  const changed = broken + fixed;
  // Logarithms, as 2 to the power of 100,000 is no number. From here on, each term is smaller than the one before.
  let logTerm = -changed * Math.LN2;
  for (let i = 1; i <= fixed; i++) logTerm += Math.log((broken + i) / i);
  let sum = 0.5;
  let term = 1;
  for (let i = broken + 1; i <= changed && term > sum * Number.EPSILON; i++) {
    term *= (changed - i + 1) / i;
    sum += term;
  }
  return Math.exp(logTerm) * sum;
}

/**
 * The 90 % interval of the change of the pass rate (Bonett, Price 2012): Wald's, with one more broken and one more fixed
 * case. So it does not shrink to nothing if no case changed.
 */
export function passRateInterval(broken: number, fixed: number, pairs: number): [number, number] {
  const change = (fixed - broken) / (pairs + 2);
  const changed = (fixed + broken + 2) / (pairs + 2);
  const half = z95 * Math.sqrt((changed - change ** 2) / (pairs + 2));
  return [Math.max(change - half, -1), Math.min(change + half, 1)];
}
