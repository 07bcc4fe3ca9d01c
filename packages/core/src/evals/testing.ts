import { type Comparison, compareRuns } from "./compare.ts";
import { CasePairs, type EvalResult } from "./pairs.ts";

/** The results of the cases of a run, one attempt a letter: passed, failed, errored, skipped. `["p", "pf"]` is two cases. */
export const resultsOf = (cases: readonly string[]): EvalResult[] =>
  cases.flatMap((attempts, index) =>
    Array.from(attempts, (letter) => ({
      caseKey: `case-${index}`,
      status: (["passed", "failed", "errored", "skipped"] as const).find((status) => status[0] === letter)!,
    })),
  );

export function compare(a: readonly EvalResult[], b: readonly EvalResult[]): Comparison {
  const pairs = new CasePairs();
  for (const result of a) pairs.add("a", result);
  for (const result of b) pairs.add("b", result);
  return compareRuns(pairs);
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
): Comparison {
  const runs = { a: [] as EvalResult[], b: [] as EvalResult[] };
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
  return compare(runs.a, runs.b);
}
