/** What comparing reads of a result: those of the registry have it, and those that a tool wrote. */
export interface EvalResult {
  caseKey: string;
  status: "passed" | "failed" | "errored" | "skipped";
  score?: number | null;
  assertions?: readonly { type: string; score?: number | null }[];
}

/** The results of a run by status; attempts count one by one. */
export interface RunTotals {
  passed: number;
  failed: number;
  errored: number;
  skipped: number;
}

/** The two runs: `a` is the one before, `b` is judged. */
export type RunName = "a" | "b";

/**
 * What became of a case. With several attempts, `fixed` passes more often than before, `broken` less often, and
 * `samePass` as often, and in half of the attempts at least. An `errored` case has no passed or failed attempt in one of the
 * runs, or in both.
 */
export type Change = "fixed" | "broken" | "samePass" | "sameFail" | "onlyA" | "onlyB" | "errored";

/** A case of one run, over its attempts. */
export interface CaseMeans {
  /** How many attempts passed or failed. */
  attempts: number;
  /** The share of attempts that passed (0 to 1); null if all errored or were skipped. */
  passed: number | null;
  score: number | null;
}

/** A case of two runs. A side is null if the run has no such case. */
export interface ComparedCase {
  caseKey: string;
  change: Change;
  a: CaseMeans | null;
  b: CaseMeans | null;
}

/** For the memory: a file could give each case a name of its own. */
const maxNames = 20;

/** Keeps sums from overflowing. Refuses NaN as well. */
const isScore = (score: number | null | undefined): score is number => Math.abs(score ?? NaN) <= 1e100;

/**
 * Collects the results of two runs, in any order, and matches them by their case key. It keeps a few numbers for
 * each case, and no outputs. Each result is an attempt: leave out those that a later result with the same attempt replaces.
 */
export class CasePairs {
  readonly totals: Record<RunName, RunTotals> = {
    a: { passed: 0, failed: 0, errored: 0, skipped: 0 },
    b: { passed: 0, failed: 0, errored: 0, skipped: 0 },
  };
  /** The types of assertions with a score, at most 20. */
  readonly names: string[] = [];
  /** Whether there were more than 20. */
  hasMoreNames = false;
  readonly #indexes = new Map<string, number>();
  readonly #runs = { a: new RunMeans(), b: new RunMeans() };

  add(run: RunName, { caseKey, status, score, assertions = [] }: EvalResult): void {
    this.totals[run][status]++;
    let index = this.#indexes.get(caseKey);
    if (index === undefined) this.#indexes.set(caseKey, (index = this.#indexes.size));
    const means = this.#runs[run];
    means.results.add(index, 1);
    // What errored or was skipped says nothing about the prompt, nor does its score.
    if (status !== "passed" && status !== "failed") return;
    means.passed.add(index, status === "passed" ? 1 : 0);
    if (isScore(score)) means.score.add(index, score);
    for (const { type, score } of assertions)
      if (isScore(score) && this.#hasName(type)) means.named(type).add(index, score);
  }

  /** Case by case, as they first arrived. */
  *[Symbol.iterator](): Generator<ComparedCase> {
    for (const [caseKey, index] of this.#indexes) {
      const [a, b] = [this.#runs.a.of(index), this.#runs.b.of(index)];
      yield { caseKey, change: changeOf(a, b), a, b };
    }
  }

  /** The means of a named score, case by case; null where a run has none. */
  *named(name: string): Generator<[a: number | null, b: number | null]> {
    const [a, b] = [this.#runs.a.named(name), this.#runs.b.named(name)];
    for (let index = 0; index < this.#indexes.size; index++) yield [a.of(index), b.of(index)];
  }

  #hasName(name: string): boolean {
    if (this.names.includes(name)) return true;
    this.hasMoreNames ||= this.names.length === maxNames;
    if (!this.hasMoreNames) this.names.push(name);
    return !this.hasMoreNames;
  }
}

/** The mean of each case, in two plain columns: an object for each case would take several times as much. */
class Means {
  readonly #sums: number[] = [];
  readonly #counts: number[] = [];

  add(index: number, value: number): void {
    while (this.#sums.length <= index) {
      this.#sums.push(0);
      this.#counts.push(0);
    }
    this.#sums[index]! += value;
    this.#counts[index]!++;
  }

  of(index: number): number | null {
    const count = this.count(index);
    return count === 0 ? null : this.#sums[index]! / count;
  }

  count(index: number): number {
    return this.#counts[index] ?? 0;
  }
}

class RunMeans {
  readonly results = new Means();
  readonly passed = new Means();
  readonly score = new Means();
  readonly #named = new Map<string, Means>();

  named(name: string): Means {
    let means = this.#named.get(name);
    if (!means) this.#named.set(name, (means = new Means()));
    return means;
  }

  of(index: number): CaseMeans | null {
    if (this.results.count(index) === 0) return null;
    return {
      attempts: this.passed.count(index),
      passed: this.passed.of(index),
      score: this.score.of(index),
    };
  }
}

function changeOf(a: CaseMeans | null, b: CaseMeans | null): Change {
  if (a === null) return "onlyB";
  if (b === null) return "onlyA";
  if (a.passed === null || b.passed === null) return "errored";
  if (a.passed !== b.passed) return a.passed < b.passed ? "fixed" : "broken";
  return b.passed >= 0.5 ? "samePass" : "sameFail";
}
