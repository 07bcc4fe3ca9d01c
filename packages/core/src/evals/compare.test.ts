import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { Result, ResultInput } from "../groups/evals/results.ts";
import { compareRuns } from "./compare.ts";
import { CasePairs, type EvalResult } from "./pairs.ts";
import { compare, resultsOf } from "./testing.ts";

const passed = (caseKey: string, more: Partial<EvalResult> = {}): EvalResult => ({
  caseKey,
  status: "passed",
  ...more,
});

test("results of the registry and of a report can be compared", () => {
  expectTypeOf<Result>().toExtend<EvalResult>();
  expectTypeOf<ResultInput>().toExtend<EvalResult>();
});

/** Sums of thirds depend on their order, in the last digit. */
const rounded = (comparison: unknown): unknown =>
  JSON.parse(JSON.stringify(comparison), (_, value) =>
    typeof value === "number" ? Math.round(value * 1e9) : value,
  );

describe("two runs", () => {
  test("are compared case by case", () => {
    const a = resultsOf(["p", "f", "p", "f", "e", "p", "s", "p"]);
    const b = resultsOf(["f", "p", "p", "f", "p", "e", "s"]);
    expect(compare(a, [...b, passed("new")])).toMatchObject({
      broken: 1,
      fixed: 1,
      samePass: 1,
      sameFail: 1,
      onlyA: 1,
      onlyB: 1,
      errored: 3,
      erroredInB: 1,
      totals: {
        a: { passed: 4, failed: 2, errored: 1, skipped: 1 },
        b: { passed: 4, failed: 2, errored: 1, skipped: 1 },
      },
      passed: { pairs: 4, a: 0.5, b: 0.5, change: 0, pWorse: 0.5, method: "mcnemar_mid_p", variance: 0.5 },
      score: null,
      named: [],
      hasMoreNamed: false,
    });
  });

  test("say of each case what became of it", () => {
    const pairs = new CasePairs();
    for (const result of resultsOf(["pp", "ff", "e"])) pairs.add("a", { ...result, score: 0.5 });
    for (const result of resultsOf(["pf", "ff"])) pairs.add("b", result);
    expect([...pairs]).toEqual([
      {
        caseKey: "case-0",
        change: "broken",
        a: { attempts: 2, passed: 1, score: 0.5 },
        b: { attempts: 2, passed: 0.5, score: null },
      },
      {
        caseKey: "case-1",
        change: "sameFail",
        a: { attempts: 2, passed: 0, score: 0.5 },
        b: { attempts: 2, passed: 0, score: null },
      },
      { caseKey: "case-2", change: "onlyA", a: { attempts: 0, passed: null, score: null }, b: null },
    ]);
  });

  test("without a common case have no difference", () => {
    expect(compare([passed("one")], [passed("other")])).toMatchObject({ passed: null, score: null });
    expect(compare([], [])).toMatchObject({ passed: null, onlyA: 0 });
  });

  test("are the same whatever the order of their results", () => {
    const results = fc.array(
      fc.record({
        caseKey: fc.constantFrom("a", "b", "c", "d", "e", "f"),
        status: fc.constantFrom("passed", "failed", "errored", "skipped" as const),
        // Sums of these are exact.
        score: fc.integer({ min: 0, max: 8 }).map((eighths) => eighths / 8),
      }),
    );
    fc.assert(
      fc.property(results, results, fc.boolean(), (a, b, isBFirst) => {
        const pairs = new CasePairs();
        const add = { a: () => a, b: () => b };
        for (const run of isBFirst ? (["b", "a"] as const) : (["a", "b"] as const))
          for (const result of add[run]().toReversed()) pairs.add(run, result);
        const [one, other] = [compare(a, b), compareRuns(pairs)];
        const { fixed, broken, samePass, sameFail, onlyA, onlyB, errored } = one;
        expect(fixed + broken + samePass + sameFail + onlyA + onlyB + errored).toBe(
          new Set([...a, ...b].map(({ caseKey }) => caseKey)).size,
        );
        expect(fixed + broken + samePass + sameFail).toBe(one.passed?.pairs ?? 0);
        expect(rounded(other)).toEqual(rounded(one));
      }),
    );
  });
});

describe("several attempts of a case", () => {
  test("are one pair, by the share that passed", () => {
    const { passed, broken, fixed, samePass } = compare(
      resultsOf(["pppp", "ppff", "pf", "pppf"]),
      resultsOf(["pppf", "pppf", "pfpf", "ppff"]),
    );
    expect([broken, fixed, samePass]).toEqual([2, 1, 1]);
    expect(passed).toMatchObject({
      pairs: 4,
      change: (-0.25 + 0.25 - 0.25) / 4,
      method: "sign_flip_exact",
    });
  });

  test("that all do the same are McNemar's pair", () => {
    const once = compare(resultsOf(["p", "p", "f"]), resultsOf(["f", "p", "p"]));
    const thrice = compare(resultsOf(["ppp", "ppp", "fff"]), resultsOf(["fff", "ppp", "ppp"]));
    expect(thrice.passed).toEqual(once.passed);
  });

  test("leave out those that errored, as long as one did not", () => {
    const { passed, errored } = compare(resultsOf(["ppe", "ee"]), resultsOf(["ese", "pp"]));
    expect([passed, errored]).toEqual([null, 2]);
    expect(compare(resultsOf(["ppe"]), resultsOf(["esf"]))).toMatchObject({ broken: 1, errored: 0 });
  });

  test("are counted where a run has more of them than the other", () => {
    const { unequalAttempts } = compare(
      resultsOf(["pp", "pp", "p", "e"]),
      resultsOf(["pp", "pfe", "pf", "p"]),
    );
    expect(unequalAttempts).toBe(1);
  });
});

describe("scores", () => {
  test("are compared over the cases that have one in both runs", () => {
    const a = [passed("one", { score: 0.9 }), passed("two", { score: 0.5 }), passed("three", { score: 1 })];
    const b = [passed("one", { score: 0.4 }), passed("two", { score: 0.5 }), passed("three")];
    expect(compare(a, b).score).toMatchObject({ pairs: 2, a: 0.7, b: 0.45, change: -0.25, pWorse: 0.25 });
  });

  test("of assertions are compared by their type, and averaged in a case", () => {
    const withScores = (...scores: (number | null)[]) =>
      passed("one", {
        assertions: [...scores.map((score) => ({ type: "faithful", score })), { type: "contains" }],
      });
    const { named } = compare([withScores(1, 0.5), withScores(0, null)], [withScores(1)]);
    expect(named).toMatchObject([{ name: "faithful", pairs: 1, a: 0.5, b: 1 }]);
  });

  test("of what errored do not count", () => {
    const errored: EvalResult = { caseKey: "one", status: "errored", score: 0 };
    expect(
      compare([passed("one", { score: 1 })], [passed("one", { score: 1 }), errored]).score,
    ).toMatchObject({
      b: 1,
    });
  });

  test.each([NaN, Infinity, -1e200])("of %d are none", (score) => {
    const result = passed("one", { score, assertions: [{ type: "odd", score }] });
    expect(compare([result], [result])).toMatchObject({ score: null, named: [] });
  });

  test("of more than twenty types are not all kept, and the comparison says so", () => {
    const pairs = new CasePairs();
    for (let n = 0; n < 30; n++) {
      const result = passed(`case-${n}`, { assertions: [{ type: `type-${n}`, score: 1 }] });
      pairs.add("a", result);
      pairs.add("b", result);
    }
    const { named, hasMoreNamed } = compareRuns(pairs);
    expect([named.length, named[19]!.name, hasMoreNamed]).toEqual([20, "type-19", true]);
  });

  test("may be named as things of the language", () => {
    const result = passed("__proto__", { assertions: [{ type: "__proto__", score: 1 }] });
    expect(compare([result], [result])).toMatchObject({
      samePass: 1,
      named: [{ name: "__proto__", pairs: 1 }],
    });
  });
});
