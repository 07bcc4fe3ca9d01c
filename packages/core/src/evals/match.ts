import type { Change } from "../groups/evals/compare.ts";
import type { ResultInput } from "../groups/evals/results.ts";
import { maxMetrics, noChanges } from "./comparison.ts";
import { compareTexts } from "./order.ts";
import type { MatchedRuns, Sample } from "./samples.ts";
import { maxDifferences } from "./sign-flip.ts";

/** A result, as far as matching needs it. */
export interface Matchable extends Pick<ResultInput, "caseKey" | "status" | "score" | "assertions"> {
  /** Default: 1. */
  weight?: number;
}

/** A case of a run, over its attempts. */
export interface MatchedAttempts<R> {
  /** How many attempts passed or failed. */
  attempts: number;
  passRate: number | null;
  score: number | null;
  weight: number;
  results: readonly R[];
}

/** A case of two runs. A side is null if the run has no such case. */
export interface MatchedCase<R> {
  caseKey: string;
  change: Change;
  weight: number;
  a: MatchedAttempts<R> | null;
  b: MatchedAttempts<R> | null;
}

/** Matches two runs in memory, as the server does in its database. The attempts of a case are in their order. */
export function matchCases<R extends Matchable>(a: readonly R[], b: readonly R[]): MatchedCase<R>[] {
  const [inA, inB] = [casesOf(a), casesOf(b)];
  return [...new Set([...inA.keys(), ...inB.keys()])].sort(compareTexts).map((caseKey) => {
    const [ofA, ofB] = [inA.get(caseKey) ?? null, inB.get(caseKey) ?? null];
    return { caseKey, change: changeOf(ofA, ofB), weight: (ofB ?? ofA)!.weight, a: ofA, b: ofB };
  });
}

const casesOf = <R extends Matchable>(results: readonly R[]): Map<string, MatchedAttempts<R>> =>
  new Map(
    Array.from(
      Map.groupBy(results, ({ caseKey }) => caseKey),
      ([key, ofCase]) => [key, attemptsOf(ofCase)],
    ),
  );

/** What errored or was skipped says nothing of the prompt, nor does its score. */
const counts = ({ status }: Matchable) => status === "passed" || status === "failed";

function attemptsOf<R extends Matchable>(results: readonly R[]): MatchedAttempts<R> {
  const counted = results.filter(counts);
  return {
    attempts: counted.length,
    passRate: meanOf(counted.map(({ status }) => (status === "passed" ? 1 : 0))),
    score: meanOf(counted.flatMap(({ score }) => (typeof score === "number" ? squarable(score) : []))),
    // If the case got another weight between two attempts, the greater one counts.
    weight: Math.max(...results.map(({ weight = 1 }) => weight)),
    results,
  };
}

/** A score, or 0 in place of one whose square no number could hold: PostgreSQL refuses that. */
const squarable = (score: number) => (Math.abs(score) < 1e-100 ? 0 : score);

type Sided = MatchedAttempts<unknown> | null;
function changeOf(a: Sided, b: Sided): Change {
  if (a === null) return "onlyB";
  if (b === null) return "onlyA";
  if (a.passRate === null || b.passRate === null) return "errored";
  if (a.passRate < b.passRate) return "fixed";
  if (a.passRate > b.passRate) return "broken";
  return b.passRate >= 0.5 ? "samePass" : "sameFail";
}

/** What matched cases come to. The scores of assertions are left out unless they are wanted. */
export function sumUp<R extends Matchable>(
  cases: readonly MatchedCase<R>[],
  { hasMetrics }: { hasMetrics: boolean },
): MatchedRuns {
  const runs = { changes: { ...noChanges }, erroredInB: 0, missingWeight: 0, unequalAttempts: 0 };
  for (const { change, weight, a, b } of cases) {
    const isMissing = a !== null && a.passRate !== null && (b?.passRate ?? null) === null;
    runs.changes[change] += 1;
    if (change === "errored" && isMissing) runs.erroredInB += 1;
    if (isMissing) runs.missingWeight += weight;
    if (a?.attempts && b?.attempts && a.attempts !== b.attempts) runs.unequalAttempts += 1;
  }
  const sampleOf = (measure: "passRate" | "score") =>
    sampleOfPairs(
      cases.map(({ weight, a, b }) => ({ weight, a: a?.[measure] ?? null, b: b?.[measure] ?? null })),
    );
  const metrics = hasMetrics ? metricsOf(cases) : null;
  return { ...runs, passRate: sampleOf("passRate"), score: sampleOf("score"), metrics };
}

/** The scores of assertions by type, those of most cases first. A type that occurs twice in a case is averaged. */
function metricsOf<R extends Matchable>(cases: readonly MatchedCase<R>[]): MatchedRuns["metrics"] {
  const pairs = cases.flatMap(({ a, b }) => {
    const [ofA, ofB] = [scoresOf(a), scoresOf(b)];
    return Array.from(ofB, ([type, { score, weight }]) => ({
      type,
      weight,
      a: ofA.get(type)?.score,
      b: score,
    }));
  });
  const ofBoth = pairs.flatMap(({ a, ...pair }) => (a === undefined ? [] : { ...pair, a }));
  return [...Map.groupBy(ofBoth, ({ type }) => type)]
    .sort(([a, ofA], [b, ofB]) => ofB.length - ofA.length || compareTexts(a, b))
    .slice(0, maxMetrics)
    .map(([name, ofType]) => ({ name, ...sampleOfPairs(ofType) }));
}

/** The scores of the assertions of a case by type. */
function scoresOf(side: MatchedAttempts<Matchable> | null) {
  const scores = (side?.results ?? [])
    .filter(counts)
    .flatMap(({ weight = 1, assertions = [] }) =>
      assertions.flatMap(({ type, score }) =>
        typeof score === "number" && Math.abs(score) <= 1e100
          ? { type, score: squarable(score), weight }
          : [],
      ),
    );
  return new Map(
    Array.from(
      Map.groupBy(scores, ({ type }) => type),
      ([type, all]) => [
        type,
        {
          score: meanOf(all.map(({ score }) => score)),
          weight: Math.max(...all.map(({ weight }) => weight)),
        },
      ],
    ),
  );
}

/** A case that two runs may have in common. */
export interface Pair {
  a: number | null;
  b: number | null;
  weight: number;
}

/** The sample of a measure, over the cases that have it in both runs and weigh something. */
export function sampleOfPairs(all: readonly Pair[]): Sample {
  const pairs = all.flatMap(({ a, b, weight }) =>
    a === null || b === null || weight === 0 ? [] : [{ a, b, weight, difference: b - a }],
  );
  const changed = pairs.filter(({ difference }) => difference !== 0);
  const values = pairs.length > maxDifferences ? changed : pairs;
  const sum = (of: (pair: (typeof pairs)[number]) => number) => sumOf(pairs.map(of));
  const extreme = (pick: (...weights: number[]) => number) =>
    pairs.length === 0 ? null : pairs.map(({ weight }) => weight).reduce((one, other) => pick(one, other));
  return {
    pairs: pairs.length,
    a: sum(({ a, weight }) => weight * a),
    b: sum(({ b, weight }) => weight * b),
    fell: pairs.filter(({ difference }) => difference < 0).length,
    rose: pairs.filter(({ difference }) => difference > 0).length,
    isWhole: changed.every(({ difference }) => Math.abs(difference) === 1),
    lightest: extreme(Math.min),
    heaviest: extreme(Math.max),
    weight: sum(({ weight }) => weight),
    weightSquares: sum(({ weight }) => weight ** 2),
    sum: sum(({ weight, difference }) => weight * difference),
    squares: sum(({ weight, difference }) => weight * difference ** 2),
    weightedSum: sum(({ weight, difference }) => weight ** 2 * difference),
    weightedSquares: sum(({ weight, difference }) => (weight * difference) ** 2),
    values:
      values.length > maxDifferences
        ? null
        : values.map(({ difference, weight }) => ({ difference, weight })),
  };
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const meanOf = (values: readonly number[]) => (values.length === 0 ? null : sumOf(values) / values.length);
