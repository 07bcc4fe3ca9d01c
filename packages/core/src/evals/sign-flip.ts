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

/** Sums and sizes of subsets of the differences. The first subset is the empty one. */
interface Subsets {
  sums: Float64Array;
  sizes: Float64Array;
}

/** Differences between pairs, as far as the test needs them. */
export interface Differences {
  pairs: number;
  /** How many are below zero. */
  fell: number;
  rose: number;
  sum: number;
  squares: number;
  /** Those that are not zero, in any order. Null if there are more than `maxDifferences`. */
  values: readonly number[] | null;
}

/** Up to here, all combinations of signs are tried. */
const maxExact = 12;
/** Up to here, so many random combinations are tried. Above, the normal approximation is as good, and needs sums alone. */
export const maxDifferences = 500;
const samples = 9999;

/**
 * The sign-flip permutation test (Fisher 1935) whether the mean difference of pairs is below zero, and its interval. `isQuick`
 * draws no samples: the approximation begins at once. A combination
 * with the same sum as the observed one counts half, as in McNemar's mid-p: where all differences are -1, 0 or 1, it is
 * that test.
 *
 * With some signs flipped, the sum is as low as observed if the flipped differences add up to zero or more. So
 * the sums of random subsets are all that the test needs, and the quantiles of their means are the interval: the shifts
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
  // Sorted, so that the order in which cases arrive decides nothing.
  const flipped = new Float64Array(length);
  flipped.set(values);
  flipped.sort();
  const isExact = length <= maxExact;
  const subsets = isExact ? everySubset(flipped) : randomSubsets(flipped);
  // What adds up to zero misses it by the rounding of sums.
  const rounding = flipped.reduce((sum, difference) => sum + Math.abs(difference), 0) * 1e-12;
  return {
    pWorse: subsets.sums.reduce((p, sum) => p + weight(sum, rounding), 0) / subsets.sums.length,
    interval: isSmall ? meansInterval(subsets) : normalInterval(sample),
    method: isExact ? "sign_flip_exact" : "sign_flip_sampled",
  };
}

const weight = (sum: number, rounding: number) => (sum > rounding ? 1 : sum < -rounding ? 0 : 0.5);

function everySubset(values: Float64Array): Subsets {
  const sums = new Float64Array(2 ** values.length);
  const sizes = new Float64Array(sums.length);
  values.forEach((value, index) => {
    const half = 2 ** index;
    for (let i = 0; i < half; i++) {
      sums[half + i] = sums[i]! + value;
      sizes[half + i] = sizes[i]! + 1;
    }
  });
  return { sums, sizes };
}

/**
 * The empty subset is what was observed; with it, no result is less likely than one in all samples (Phipson, Smyth 2010). A byte
 * of random bits is looked up among the subsets of eight values: one by one, they would take eight times as long.
 */
function randomSubsets(values: Float64Array): Subsets {
  const sums = new Float64Array(samples + 1);
  const sizes = new Float64Array(samples + 1);
  const next = randomWords();
  const eights = Array.from({ length: Math.ceil(values.length / 8) }, (_, nth) =>
    everySubset(values.subarray(8 * nth, 8 * nth + 8)),
  );
  for (let sample = 1; sample <= samples; sample++) {
    let [sum, size, bits] = [0, 0, 0];
    for (let nth = 0; nth < eights.length; nth++) {
      if (nth % 4 === 0) bits = next();
      const eight = eights[nth]!;
      const subset = bits & (eight.sums.length - 1);
      bits >>>= 8;
      sum += eight.sums[subset]!;
      size += eight.sizes[subset]!;
    }
    sums[sample] = sum;
    sizes[sample] = size;
  }
  return { sums, sizes };
}

function meansInterval({ sums, sizes }: Subsets): [number, number] | null {
  const means = sums.map((sum, i) => sum / sizes[i]!).filter((mean) => !Number.isNaN(mean));
  means.sort();
  // The half is the mid-p: thus the interval ends below zero where the test finds a drop.
  const outside = Math.ceil(0.05 * (means.length + 1) - 0.5);
  return outside < 1 ? null : [means[outside - 1]!, means[means.length - outside]!];
}

const normalP = ({ sum, squares }: Differences) => normalCdf(sum / Math.sqrt(squares));

function normalInterval({ pairs, sum, squares }: Differences): [number, number] {
  const mean = sum / pairs;
  const variance = Math.max(squares / pairs - mean ** 2, 0);
  const half = z95 * Math.sqrt(variance / (pairs - z95 ** 2));
  return [mean - half, mean + half];
}
