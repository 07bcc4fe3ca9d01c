import type { Difference } from "../groups/evals/compare.ts";
import type { Judgement, Measure } from "./judge.ts";
import { casesToSee, smallestDrop } from "./power.ts";
import type { MeasuredRuns } from "./samples.ts";

interface Options {
  maxDrop: number;
  obstacle: string | undefined;
}

/** The verdict in words: no text of a result is in them, so that they can be printed anywhere. */
export function sentencesOf(runs: MeasuredRuns, judgement: Judgement, options: Options): string[] {
  const { passRate, score } = runs;
  return [
    options.obstacle ?? headline(judgement, options),
    passRate && casesOf(passRate, runs),
    leftOut(runs),
    passRate && measured("Pass rate", passRate, percent, (change) => rounded(change * 100, 1), " points"),
    score && measured("Score", score, decimal, decimal),
    passRate && levelOf(score !== null),
    runs.unequalAttempts > 0 && unequal(runs),
    passRate && weighing(runs, passRate.pairs),
    passRate && reach(passRate, runs.effectivePairs, options),
  ].filter((sentence) => typeof sentence === "string");
}

/** Where the methods of a comparison come from. */
export function sourcesOf({ passRate, score, metrics, effectivePairs }: MeasuredRuns): string[] {
  const isWeighted = passRate !== null && wholeOf(effectivePairs) < passRate.pairs;
  const methods = [passRate, score, ...(metrics ?? [])].map((difference) => difference?.method);
  const isFlipped = methods.some((method) => method?.startsWith("sign_flip"));
  return [
    methods.includes("mcnemar_mid_p") && [
      "McNemar 1947, doi:10.1007/BF02295996",
      "Mid-p: Fagerland, Lydersen, Laake 2013, doi:10.1186/1471-2288-13-91",
      "Interval of the pass rate: Bonett, Price 2012, doi:10.3102/1076998611411915",
    ],
    isFlipped && [
      "Sign-flip permutation test: Fisher 1935, The Design of Experiments",
      "Its interval: Hartigan 1969, Journal of the American Statistical Association 64",
    ],
    passRate && score && ["Two tests: Hochberg 1988, doi:10.1093/biomet/75.4.800"],
    isWeighted && ["Number of cases of equal weight: Kish 1965, Survey Sampling"],
    passRate && ["Number of cases: Connor 1987, doi:10.2307/2531961"],
  ].flatMap((sources) => sources || []);
}

const measureNames = { passRate: "pass rate", score: "score" };

function headline({ outcome, fell, regressed }: Judgement, { maxDrop }: Options): string {
  const list = (measures: Measure[]) => measures.map((measure) => measureNames[measure]).join(" and the ");
  if (outcome === "regression") {
    const allowed = maxDrop > 0 ? `, and by more than the ${points(maxDrop)} allowed` : "";
    return `Regression: the ${list(regressed)} fell by more than noise${allowed}.`;
  }
  if (fell.length === 0) return "No regression: nothing fell by more than noise.";
  return `No regression: the ${list(fell)} fell by more than noise, but not by more than the ${points(maxDrop)} allowed.`;
}

/** How many cases passed or failed in both runs, whatever their weight is. */
export const matchedIn = ({ changes: { broken, fixed, samePass, sameFail } }: MeasuredRuns): number =>
  broken + fixed + samePass + sameFail;

function casesOf({ method }: Difference, runs: MeasuredRuns): string {
  const { broken, fixed, samePass, sameFail } = runs.changes;
  const changes =
    method === "mcnemar_mid_p"
      ? `${broken} broken, ${fixed} fixed, ${samePass} passed in both, ${sameFail} failed in both.`
      : `${broken} passed less often, ${fixed} passed more often, ${samePass + sameFail} as often.`;
  return `${counted(matchedIn(runs), "case")} passed or failed in both runs: ${changes}`;
}

function leftOut({ changes: { onlyA, onlyB, errored }, erroredInB }: MeasuredRuns): string | null {
  const parts = [
    onlyA > 0 && `${counted(onlyA, "case")} of the first run alone`,
    onlyB > 0 && `${counted(onlyB, "case")} of the second run alone`,
    errored > 0 &&
      `${counted(errored, "case")} that errored or ${errored === 1 ? "was" : "were"} skipped` +
        (erroredInB > 0 ? ` (${erroredInB} in the second run alone)` : ""),
  ].filter((part) => typeof part === "string");
  return parts.length === 0 ? null : `Not compared: ${parts.join(", ")}.`;
}

const methods = {
  mcnemar_mid_p: "McNemar's test (mid-p)",
  sign_flip_exact: "the sign-flip permutation test (all signs)",
  sign_flip_sampled: "the sign-flip permutation test (10,000 samples)",
  sign_flip_normal: "the sign-flip permutation test (normal approximation)",
};

function measured(
  name: string,
  { a, b, change, interval, pWorse, method }: Difference,
  value: (share: number) => string,
  step: (change: number) => string,
  unit = "",
): string {
  const range = interval
    ? `90% interval: ${step(interval.low)} to ${step(interval.high)}`
    : "too few cases for an interval";
  const p = pWorse < 0.001 ? "p < 0.001" : `p = ${pWorse.toFixed(3)}`;
  return `${name}: ${value(a)} before, ${value(b)} now, a change of ${step(change)}${unit} (${range}); ${p} by ${methods[method]}.`;
}

const levelOf = (hasScore: boolean) =>
  "p says how likely noise alone makes a change as bad as this (one-sided). Below 0.05 it is more than noise" +
  (hasScore ? ", or below 0.025 if only one of pass rate and score is below 0.05." : ".");

const unequal = ({ unequalAttempts }: MeasuredRuns) =>
  `In ${counted(unequalAttempts, "case")} one of the runs has more attempts. That makes p less exact: run as many in both.`;

/** What it means that cases have weights; null if all weigh the same. */
function weighing(runs: MeasuredRuns, pairs: number): string | null {
  const equal = wholeOf(runs.effectivePairs);
  const weightless = matchedIn(runs) - pairs;
  const parts = [
    weightless > 0 &&
      `${counted(weightless, "case")} of weight 0 ${weightless === 1 ? "counts" : "count"} for nothing`,
    equal < pairs &&
      `${weightless > 0 ? "the others" : "they"} say as much as ${counted(equal, "case")} of equal weight`,
  ].filter((part) => typeof part === "string");
  return parts.length === 0 ? null : `Cases count by their weights: ${parts.join(", and ")}.`;
}

/** A number that sums of fractions miss by their rounding. */
const wholeOf = (value: number) => Math.floor(value + 1e-9);

function reach({ variance }: Difference, pairs: number, { maxDrop }: Options): string {
  const wanted = maxDrop || 0.05;
  const cases = wholeOf(pairs);
  const smallest = smallestDrop(cases, variance);
  const found =
    smallest === null
      ? `${counted(cases, "case")} can show no drop`
      : `In four of five comparisons, ${counted(cases, "case")} would show a drop of ${points(smallest)}`;
  return `${found}. To find one of ${points(wanted)} takes about ${counted(casesToSee(wanted, variance), "case")}.`;
}

const rounded = (value: number, digits: number) => String(Number(value.toFixed(digits)) || 0);
const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
export const percent = (share: number) => `${rounded(share * 100, 1)}%`;
const points = (share: number) => counted(Number(rounded(share * 100, 1)), "point");
const decimal = (value: number) => rounded(value, 3);
