import { type Matchable, matchCases, sampleOfPairs, sumUp } from "./match.ts";
import type { MatchedRuns, Sample } from "./samples.ts";

export type TestResult = Matchable;

/** The results of the cases of a run, one attempt a letter: passed, failed, errored, skipped. `["p", "pf"]` is two cases. */
export const resultsOf = (cases: readonly string[]): TestResult[] =>
  cases.flatMap((attempts, index) =>
    Array.from(attempts, (letter) => ({
      caseKey: `case-${index}`,
      status: (["passed", "failed", "errored", "skipped"] as const).find((status) => status[0] === letter)!,
    })),
  );

/** Two runs, matched and summed up. */
export const match = (a: readonly TestResult[], b: readonly TestResult[]): MatchedRuns =>
  sumUp(matchCases(a, b), { hasMetrics: true });

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
