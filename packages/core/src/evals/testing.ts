import type { Change } from "../groups/evals/compare.ts";
import type { MatchedRuns, Sample } from "./samples.ts";
import { maxDifferences } from "./sign-flip.ts";

/** A result, as far as the tests need it. */
export interface TestResult {
  caseKey: string;
  status: "passed" | "failed" | "errored" | "skipped";
  score?: number | null;
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
  const passRates: [number | null, number | null][] = [];
  const scores: typeof passRates = [];
  let [erroredInB, unequalAttempts] = [0, 0];
  const byKey = [a, b].map((results) => Map.groupBy(results, ({ caseKey }) => caseKey));
  for (const key of new Set([...a, ...b].map(({ caseKey }) => caseKey))) {
    const [ofA, ofB] = byKey.map((results) => attemptsOf(results.get(key) ?? [])) as [Attempts, Attempts];
    const change = changeOf(ofA, ofB);
    changes[change]++;
    if (change === "errored" && ofA.passed !== null) erroredInB++;
    if (ofA.attempts && ofB.attempts && ofA.attempts !== ofB.attempts) unequalAttempts++;
    passRates.push([ofA.passed, ofB.passed]);
    scores.push([ofA.score, ofB.score]);
  }
  const [passRate, score] = [sampleOfPairs(passRates), sampleOfPairs(scores)];
  return { changes, erroredInB, unequalAttempts, passRate, score, metrics: [] };
}

/** A sample of these differences, as the registry makes it. */
export function sampleOf(
  differences: readonly number[],
  { pairs = differences.length, a = 0, b = 0 }: Partial<Pick<Sample, "pairs" | "a" | "b">> = {},
): Sample {
  const changed = differences.filter((difference) => difference !== 0);
  return {
    pairs,
    a,
    b,
    fell: changed.filter((difference) => difference < 0).length,
    rose: changed.filter((difference) => difference > 0).length,
    isWhole: changed.every(Number.isInteger),
    sum: sumOf(changed),
    squares: sumOf(changed.map((difference) => difference ** 2)),
    values: changed.length > maxDifferences ? null : changed,
  };
}

function sampleOfPairs(pairs: readonly (readonly [number | null, number | null])[]): Sample {
  const whole = pairs.filter((pair): pair is readonly [number, number] => !pair.includes(null));
  const [a, b] = [sumOf(whole.map(([one]) => one)), sumOf(whole.map(([, one]) => one))];
  return sampleOf(
    whole.map(([one, other]) => other - one),
    { a, b },
  );
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
  { cases = 200, attempts = 1, dropped = 0, hasScore = false },
): MatchedRuns {
  const runs = { a: [] as TestResult[], b: [] as TestResult[] };
  for (let index = 0; index < cases; index++) {
    const kind = next();
    const pass = kind < 0.6 ? 1 : kind < 0.7 ? 0 : 0.4 + 0.6 * next();
    const isDropped = next() < dropped;
    for (const run of ["a", "b"] as const) {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const isPassed = next() < pass && !(isDropped && run === "b");
        const score = hasScore ? (isPassed ? 0.6 : 0.1) + 0.4 * next() : null;
        runs[run].push({ caseKey: `case-${index}`, status: isPassed ? "passed" : "failed", score });
      }
    }
  }
  return match(runs.a, runs.b);
}
