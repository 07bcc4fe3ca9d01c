import type { Change } from "../groups/evals/compare.ts";
import type { MatchedRuns, Sample } from "./samples.ts";
import { maxDifferences } from "./sign-flip.ts";

/** A result, as far as the tests need it. */
export interface TestResult {
  caseKey: string;
  status: "passed" | "failed" | "errored" | "skipped";
  score?: number | null;
  /** Default: 1. */
  weight?: number;
}

/** The results of the cases of a run, one attempt a letter: passed, failed, errored, skipped. `["p", "pf"]` is two cases. */
export const resultsOf = (cases: readonly string[]): TestResult[] =>
  cases.flatMap((attempts, index) =>
    Array.from(attempts, (letter) => ({
      caseKey: `case-${index}`,
      status: (["passed", "failed", "errored", "skipped"] as const).find((status) => status[0] === letter)!,
    })),
  );

/** Matches two runs in memory, as the registry does in its database. */
export function match(a: readonly TestResult[], b: readonly TestResult[]): MatchedRuns {
  const changes = { fixed: 0, broken: 0, samePass: 0, sameFail: 0, onlyA: 0, onlyB: 0, errored: 0 };
  const passRates: Pair[] = [];
  const scores: Pair[] = [];
  let [erroredInB, unequalAttempts, missingWeight] = [0, 0, 0];
  const byKey = [a, b].map((results) => Map.groupBy(results, ({ caseKey }) => caseKey));
  for (const key of new Set([...a, ...b].map(({ caseKey }) => caseKey))) {
    const [ofA, ofB] = byKey.map((results) => attemptsOf(results.get(key) ?? [])) as [Attempts, Attempts];
    const change = changeOf(ofA, ofB);
    changes[change]++;
    if (change === "errored" && ofA.passed !== null) erroredInB++;
    if (ofA.attempts && ofB.attempts && ofA.attempts !== ofB.attempts) unequalAttempts++;
    const weight = ofB.exists ? ofB.weight : ofA.weight;
    if (ofA.passed !== null && ofB.passed === null) missingWeight += weight;
    passRates.push({ a: ofA.passed, b: ofB.passed, weight });
    scores.push({ a: ofA.score, b: ofB.score, weight });
  }
  const [passRate, score] = [sampleOfPairs(passRates), sampleOfPairs(scores)];
  return { changes, erroredInB, unequalAttempts, missingWeight, passRate, score, metrics: [] };
}

interface Pair {
  a: number | null;
  b: number | null;
  weight: number;
}

/** A sample of these differences, as the registry makes it. Without weights, all weigh the same. */
export const sampleOf = (
  differences: readonly number[],
  { pairs = differences.length, weights }: { pairs?: number; weights?: readonly number[] } = {},
): Sample =>
  sampleOfPairs(
    Array.from({ length: pairs }, (_, nth) => ({
      a: 0,
      b: differences[nth] ?? 0,
      weight: weights?.[nth] ?? 1,
    })),
  );

function sampleOfPairs(all: readonly Pair[]): Sample {
  const pairs = all.flatMap(({ a, b, weight }) =>
    a === null || b === null || weight === 0 ? [] : [{ a, b, weight, difference: b - a }],
  );
  const changed = pairs.filter(({ difference }) => difference !== 0);
  const values = pairs.length > maxDifferences ? changed : pairs;
  const sum = (of: (pair: (typeof pairs)[number]) => number) => sumOf(pairs.map(of));
  return {
    pairs: pairs.length,
    a: sum(({ a, weight }) => weight * a),
    b: sum(({ b, weight }) => weight * b),
    fell: changed.filter(({ difference }) => difference < 0).length,
    rose: changed.filter(({ difference }) => difference > 0).length,
    isWhole: changed.every(({ difference }) => Number.isInteger(difference)),
    lightest: pairs.length === 0 ? null : Math.min(...pairs.map(({ weight }) => weight)),
    heaviest: pairs.length === 0 ? null : Math.max(...pairs.map(({ weight }) => weight)),
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

type Attempts = ReturnType<typeof attemptsOf>;
function attemptsOf(all: readonly TestResult[]) {
  const counted = all.filter(({ status }) => status === "passed" || status === "failed");
  return {
    exists: all.length > 0,
    attempts: counted.length,
    passed: meanOf(counted.map(({ status }) => (status === "passed" ? 1 : 0))),
    score: meanOf(counted.flatMap(({ score }) => score ?? [])),
    weight: Math.max(...all.map(({ weight = 1 }) => weight)),
  };
}

function changeOf(a: Attempts, b: Attempts): Change {
  if (!a.exists) return "onlyB";
  if (!b.exists) return "onlyA";
  if (a.passed === null || b.passed === null) return "errored";
  if (a.passed !== b.passed) return a.passed < b.passed ? "fixed" : "broken";
  return b.passed >= 0.5 ? "samePass" : "sameFail";
}

/** Numbers from 0 to 1, the same in every run of a test (Park, Miller 1988). Not the source that is tested. */
export function chances(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/**
 * Two runs of a prompt over flaky cases: of ten, six always pass, one never does, and three pass now and then. In
 * the second run, the share `dropped` of the cases fails for good.
 */
export function flakyRuns(
  next: () => number,
  { cases = 200, attempts = 1, dropped = 0, hasScore = false, isWeighted = false },
): MatchedRuns {
  const runs = { a: [] as TestResult[], b: [] as TestResult[] };
  for (let index = 0; index < cases; index++) {
    const kind = next();
    const pass = kind < 0.6 ? 1 : kind < 0.7 ? 0 : 0.4 + 0.6 * next();
    const isDropped = next() < dropped;
    const weight = isWeighted ? Math.ceil(5 * next()) : 1;
    for (const run of ["a", "b"] as const) {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const isPassed = next() < pass && !(isDropped && run === "b");
        const score = hasScore ? (isPassed ? 0.6 : 0.1) + 0.4 * next() : null;
        runs[run].push({ caseKey: `case-${index}`, status: isPassed ? "passed" : "failed", score, weight });
      }
    }
  }
  return match(runs.a, runs.b);
}
