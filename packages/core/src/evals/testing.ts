import type { Change } from "../groups/evals/compare.ts";
import type { MatchedRuns, Sample } from "./samples.ts";

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
  const [passRate, score] = [emptySample(), emptySample()];
  let [erroredInB, unequalAttempts] = [0, 0];
  const byKey = [a, b].map((results) => Map.groupBy(results, ({ caseKey }) => caseKey));
  for (const key of new Set([...a, ...b].map(({ caseKey }) => caseKey))) {
    const [ofA, ofB] = byKey.map((results) => attemptsOf(results.get(key) ?? [])) as [Attempts, Attempts];
    const change = changeOf(ofA, ofB);
    changes[change]++;
    if (change === "errored" && ofA.passed !== null) erroredInB++;
    if (ofA.attempts && ofB.attempts && ofA.attempts !== ofB.attempts) unequalAttempts++;
    addPair(passRate, ofA.passed, ofB.passed);
    addPair(score, ofA.score, ofB.score);
  }
  return { changes, erroredInB, unequalAttempts, passRate, score, metrics: [] };
}

const emptySample = (): Sample & { differences: number[] } => ({ pairs: 0, a: 0, b: 0, differences: [] });

function addPair(sample: ReturnType<typeof emptySample>, a: number | null, b: number | null): void {
  if (a === null || b === null) return;
  sample.pairs++;
  sample.a += a;
  sample.b += b;
  if (a !== b) sample.differences.push(b - a);
}

const meanOf = (values: readonly number[]) =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

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
