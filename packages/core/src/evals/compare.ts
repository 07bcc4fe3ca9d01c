import { mcNemarMidP, passRateInterval } from "./mcnemar.ts";
import type { CasePairs, Change, RunName, RunTotals } from "./pairs.ts";
import { type SignFlip, signFlip } from "./sign-flip.ts";

/** How two runs differ in the pass rate or in a score, over the cases that have it in both. */
export interface Difference {
  pairs: number;
  /** The mean over the cases in each run. */
  a: number;
  b: number;
  /** The mean difference, `b` less `a`: a drop is below zero. */
  change: number;
  /** The 90 % interval of the change, of two one-sided 5 %; null for fewer than four pairs. */
  interval: [number, number] | null;
  /** How likely noise alone makes a change as bad as this, one-sided. Below 0.05 it is more than noise. */
  pWorse: number;
  /** `mcnemar_mid_p` for the pass rate, unless the attempts of a case differ among themselves. */
  method: "mcnemar_mid_p" | SignFlip["method"];
  /** The variance of the differences between pairs: the noise for `casesToSee`. */
  variance: number;
}

/** Two runs compared: everything that can be said of them without their outputs. */
export interface Comparison extends Record<Change, number> {
  totals: Record<RunName, RunTotals>;
  /** Of `errored`, the cases that passed or failed in `a`: those that only errored in `b` or were skipped there. */
  erroredInB: number;
  /**
   * The pairs with more attempts in one of the runs. They make the tests less exact: with more attempts in `b`, false alarms
   * are more frequent than one in twenty.
   */
  unequalAttempts: number;
  /** Null if no case passed or failed in both runs. */
  passed: Difference | null;
  /** The overall score. Null if no case has one in both runs. */
  score: Difference | null;
  /** The scores of assertions, by type. */
  named: ({ name: string } & Difference)[];
  /** Whether there were more than 20 types, and the rest is missing in `named`. */
  hasMoreNamed: boolean;
}

/**
 * Compares two runs. The attempts of a case are averaged first; taken one by one, they would be counted as evidence that
 * they are not. A case that errored or was skipped in one of the runs is no pair.
 *
 * If every case either always passes or always fails, as with one attempt, the test of the pass rate is McNemar's mid-p
 * over fixed and broken cases. Otherwise it is the sign-flip test of the shares of attempts that passed. Scores have the
 * sign-flip test.
 */
export function compareRuns(pairs: CasePairs): Comparison {
  const counts = { fixed: 0, broken: 0, samePass: 0, sameFail: 0, onlyA: 0, onlyB: 0, errored: 0 };
  let [erroredInB, unequalAttempts] = [0, 0];
  const [passed, score] = [new Measured(), new Measured()];
  for (const { change, a, b } of pairs) {
    counts[change]++;
    if (change === "errored" && a!.passed !== null) erroredInB++;
    if (a?.attempts && b?.attempts && a.attempts !== b.attempts) unequalAttempts++;
    passed.add(a?.passed, b?.passed);
    score.add(a?.score, b?.score);
  }
  const named = pairs.names.flatMap((name) => {
    const measured = new Measured();
    for (const [a, b] of pairs.named(name)) measured.add(a, b);
    const difference = measured.difference();
    return difference ? [{ name, ...difference }] : [];
  });
  return {
    ...counts,
    erroredInB,
    unequalAttempts,
    totals: { a: { ...pairs.totals.a }, b: { ...pairs.totals.b } },
    passed: passed.difference(mcNemar),
    score: score.difference(),
    named,
    hasMoreNamed: pairs.hasMoreNames,
  };
}

/** The pairs of one measure. */
class Measured {
  readonly #differences: number[] = [];
  #a = 0;
  #b = 0;

  add(a: number | null | undefined, b: number | null | undefined): void {
    if (typeof a !== "number" || typeof b !== "number") return;
    this.#differences.push(b - a);
    this.#a += a;
    this.#b += b;
  }

  difference(test: (differences: readonly number[]) => Tested = signFlip): Difference | null {
    const pairs = this.#differences.length;
    if (pairs === 0) return null;
    const change = this.#differences.reduce((sum, difference) => sum + difference, 0) / pairs;
    const squares = this.#differences.reduce((sum, difference) => sum + difference ** 2, 0);
    return {
      pairs,
      a: this.#a / pairs,
      b: this.#b / pairs,
      change,
      ...test(this.#differences),
      variance: Math.max(squares / pairs - change ** 2, 0),
    };
  }
}

type Tested = Pick<Difference, "pWorse" | "interval" | "method">;

function mcNemar(differences: readonly number[]): Tested {
  if (!differences.every((difference) => Number.isInteger(difference))) return signFlip(differences);
  const broken = differences.filter((difference) => difference < 0).length;
  const fixed = differences.filter((difference) => difference > 0).length;
  return {
    pWorse: mcNemarMidP(broken, fixed),
    interval: passRateInterval(broken, fixed, differences.length),
    method: "mcnemar_mid_p",
  };
}
