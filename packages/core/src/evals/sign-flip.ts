import { normalCdf, z95 } from "./normal.ts";
import { randomWords } from "./random.ts";

/** What the sign-flip test says of a mean difference. */
export interface SignFlip {
  /** How likely a mean as low as this is, if each difference was as likely to have the other sign. */
  pWorse: number;
  /** The 90 % interval of the mean, of two one-sided 5 %; null for fewer than four differences. */
  interval: [number, number] | null;
  method: "sign_flip_exact" | "sign_flip_sampled" | "sign_flip_normal";
}

/** Weighted sums of subsets of the differences, and their weights. The first subset is the empty one. */
interface Subsets {
  sums: Float64Array;
  weights: Float64Array;
}

/** A pair whose difference the test flips. */
export interface Weighted {
  difference: number;
  /** Above zero. */
  weight: number;
}

/** Differences between pairs, as far as the test needs them. Sums of a difference `d` with its weight `w` over all pairs. */
export interface Differences {
  pairs: number;
  /** How many differences are below zero. */
  fell: number;
  rose: number;
  /** `w` */
  weight: number;
  /** `w * w` */
  weightSquares: number;
  /** `w * d` */
  sum: number;
  /** `w * w * d` */
  weightedSum: number;
  /** `w * w * d * d` */
  weightedSquares: number;
  /**
   * The pairs, in any order: all of them, if they are at most `maxDifferences`; otherwise those with a difference, and null if these
   * are more.
   */
  values: readonly Weighted[] | null;
}

/** Up to here, all combinations of signs are tried. */
const maxExact = 12;
/** Up to here, so many random combinations are tried. Above, the normal approximation is as good, and needs sums alone. */
export const maxDifferences = 500;
const samples = 9999;

/**
 * The sign-flip permutation test (Fisher 1935) whether the weighted mean difference of pairs is below zero, and its interval. If
 * nothing changed, a difference is as likely to have the other sign, whatever its weight is. `isQuick`
 * draws no samples: the approximation begins at once. A combination
 * with the same sum as the observed one counts half, as in McNemar's mid-p: where all weights are equal and all differences are -1, 0
 * or 1, it is that test.
 *
 * With some signs flipped, the sum is as low as observed if the flipped differences add up to zero or more. So
 * the sums of random subsets are all that the test needs, and the quantiles of their weighted means are the interval: the shifts
 * that the test does not refuse (Hartigan 1969).
 */
export function signFlip(sample: Differences, { isQuick = false } = {}): SignFlip {
  const { pairs, fell, rose, values } = sample;
  const most = isQuick ? maxExact : maxDifferences;
  const isSmall = pairs <= most;
  // Of many pairs, those without a difference need no sign.
  const length = isSmall ? pairs : fell + rose;
  if (length > most || values === null)
    return { pWorse: normalP(sample), interval: normalInterval(sample), method: "sign_flip_normal" };
  const flipped = isSmall ? values : values.filter(({ difference }) => difference !== 0);
  // Sorted, so that the order in which cases arrive decides nothing.
  const sorted = flipped.toSorted((a, b) => a.difference - b.difference || a.weight - b.weight);
  const isExact = length <= maxExact;
  const subsets = isExact ? everySubset(sorted) : randomSubsets(sorted);
  // What adds up to zero misses it by the rounding of sums.
  const rounding = sorted.reduce((sum, one) => sum + one.weight * Math.abs(one.difference), 0) * 1e-12;
  return {
    pWorse: subsets.sums.reduce((p, sum) => p + share(sum, rounding), 0) / subsets.sums.length,
    interval: isSmall ? meansInterval(subsets) : normalInterval(sample),
    method: isExact ? "sign_flip_exact" : "sign_flip_sampled",
  };
}

const share = (sum: number, rounding: number) => (sum > rounding ? 1 : sum < -rounding ? 0 : 0.5);

function everySubset(values: readonly Weighted[]): Subsets {
  const sums = new Float64Array(2 ** values.length);
  const weights = new Float64Array(sums.length);
  values.forEach(({ difference, weight }, index) => {
    const half = 2 ** index;
    for (let i = 0; i < half; i++) {
      sums[half + i] = sums[i]! + weight * difference;
      weights[half + i] = weights[i]! + weight;
    }
  });
  return { sums, weights };
}

/**
 * The empty subset is what was observed; with it, no result is less likely than one in all samples (Phipson, Smyth 2010). A byte
 * of random bits is looked up among the subsets of eight values: one by one, they would take four times as long.
 */
function randomSubsets(values: readonly Weighted[]): Subsets {
  const sums = new Float64Array(samples + 1);
  const weights = new Float64Array(samples + 1);
  const next = randomWords();
  const eights = Array.from({ length: Math.ceil(values.length / 8) }, (_, nth) =>
    everySubset(values.slice(8 * nth, 8 * nth + 8)),
  );
  for (let sample = 1; sample <= samples; sample++) {
    let [sum, weight, bits] = [0, 0, 0];
    for (let nth = 0; nth < eights.length; nth++) {
      if (nth % 4 === 0) bits = next();
      const eight = eights[nth]!;
      const subset = bits & (eight.sums.length - 1);
      bits >>>= 8;
      sum += eight.sums[subset]!;
      weight += eight.weights[subset]!;
    }
    sums[sample] = sum;
    weights[sample] = weight;
  }
  return { sums, weights };
}

function meansInterval({ sums, weights }: Subsets): [number, number] | null {
  const means = sums.map((sum, i) => sum / weights[i]!).filter((mean) => !Number.isNaN(mean));
  means.sort();
  // The half is the mid-p: thus the interval ends below zero where the test finds a drop.
  const outside = Math.ceil(0.05 * (means.length + 1) - 0.5);
  return outside < 1 ? null : [means[outside - 1]!, means[means.length - outside]!];
}

const normalP = ({ sum, weightedSquares }: Differences) =>
  weightedSquares === 0 ? 0.5 : normalCdf(sum / Math.sqrt(weightedSquares));

/**
 * The shifts of all differences that the normal approximation does not refuse, where the shifted sum is as far from zero as z95 of
 * its deviations: the roots of a quadratic equation. Null if no shift is refused, since few pairs have most of the weight.
 */
function normalInterval(sample: Differences): [number, number] | null {
  const { weight, weightSquares, sum, weightedSum, weightedSquares } = sample;
  const a = weight ** 2 - z95 ** 2 * weightSquares;
  const b = weight * sum - z95 ** 2 * weightedSum;
  const c = sum ** 2 - z95 ** 2 * weightedSquares;
  if (a <= 0) return null;
  const half = Math.sqrt(Math.max(b ** 2 - a * c, 0)) / a;
  return [b / a - half, b / a + half];
}
