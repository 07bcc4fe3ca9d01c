import * as z from "zod";
import { id, plainText } from "../../language/fields.ts";
import { type Page, type PageQuery, pageQuery } from "../../language/list.ts";
import { json, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { Result } from "./results.ts";
import { Run } from "./schemas.ts";

/**
 * What became of a case. With several attempts, `fixed` passes more often than before, `broken` less often, and
 * `samePass` as often, and in half of the attempts at least. An `errored` case has no passed or failed attempt in one of the
 * runs, or in both.
 */
export type Change = "fixed" | "broken" | "samePass" | "sameFail" | "onlyA" | "onlyB" | "errored";
const changes = ["fixed", "broken", "samePass", "sameFail", "onlyA", "onlyB", "errored"] as const;

/** How two runs differ in the pass rate or in a score, over the cases that have it in both. */
export interface Difference {
  pairs: number;
  /** The mean over the cases of the first run. */
  a: number;
  b: number;
  /** The mean difference, `b` less `a`: a drop is below zero. */
  change: number;
  /** The 90 % interval of the change, of two one-sided 5 %; null for fewer than four pairs. */
  interval: { low: number; high: number } | null;
  /** How likely noise alone makes a change as bad as this, one-sided. Below 0.05 it is more than noise. */
  pWorse: number;
  /** `mcnemar_mid_p` for the pass rate, unless the attempts of a case differ among themselves. */
  method: "mcnemar_mid_p" | "sign_flip_exact" | "sign_flip_sampled" | "sign_flip_normal";
  /** The variance of the differences between pairs. */
  variance: number;
}
const number = z.number();
const differenceFields = {
  pairs: z.int(),
  a: number,
  b: number,
  change: number,
  interval: z.strictObject({ low: number, high: number }).nullable(),
  pWorse: number,
  method: z.enum(["mcnemar_mid_p", "sign_flip_exact", "sign_flip_sampled", "sign_flip_normal"]),
  variance: number,
};
const difference: Schema<Difference> = z.strictObject(differenceFields).meta({ id: "EvalDifference" });

/** Whether the second run is worse than the first by more than noise. */
export interface EvalVerdict {
  outcome: "regression" | "no_regression" | "not_comparable";
  /** The measures that fell by more than noise. */
  fell: ("passRate" | "score")[];
  /** Those of them that fell by more than `maxDrop`. */
  regressed: ("passRate" | "score")[];
  /** Null if no case passed or failed in both runs. */
  passRate: Difference | null;
  /** The overall score. Null if no case has one in both runs. */
  score: Difference | null;
  /**
   * The scores of assertions by type, at most 20. They are shown, and do not decide. Null if there are too many to compare, or if
   * the items are not visible.
   */
  metrics: ({ name: string } & Difference)[] | null;
  /** In plain words: the verdict first, then what it rests on. No text of a result is in them. */
  sentences: string[];
  /** Where the methods come from. */
  sources: string[];
}
const measures = z.array(z.enum(["passRate", "score"]));
export const EvalVerdict: Schema<EvalVerdict> = z
  .strictObject({
    outcome: z.enum(["regression", "no_regression", "not_comparable"]),
    fell: measures,
    regressed: measures,
    passRate: z.nullable(difference),
    score: z.nullable(difference),
    metrics: z.array(z.strictObject({ name: z.string(), ...differenceFields })).nullable(),
    sentences: z.array(z.string()),
    sources: z.array(z.string()),
  })
  .meta({ id: "EvalVerdict" });

/** A case of one run, over its attempts. */
export interface ComparedAttempts {
  /** How many attempts passed or failed. */
  attempts: number;
  /** The share of them that passed (0 to 1); null if all errored or were skipped. */
  passRate: number | null;
  /** The mean of their scores. */
  score: number | null;
  /** The worst attempt: one that failed, else one that errored, else one that passed. */
  result: Result;
}
const comparedAttempts: Schema<ComparedAttempts> = z
  .strictObject({
    attempts: z.int(),
    passRate: number.nullable(),
    score: number.nullable(),
    result: Result,
  })
  .meta({ id: "ComparedAttempts" });

/** A case of two runs. A side is null if the run has no such case. */
export interface CaseComparison {
  caseKey: string;
  change: Change;
  a: ComparedAttempts | null;
  b: ComparedAttempts | null;
}
export const CaseComparison: Schema<CaseComparison> = z
  .strictObject({
    caseKey: z.string(),
    change: z.enum(changes),
    a: z.nullable(comparedAttempts),
    b: z.nullable(comparedAttempts),
  })
  .meta({ id: "CaseComparison" });

/** Two runs of a prompt, case by case. */
export interface RunComparison extends Page<CaseComparison> {
  /** The run before. */
  a: Run;
  /** The run that is judged. */
  b: Run;
  /** How many cases changed how. Null on pages after the first. */
  summary: Record<Change, number> | null;
  /** Null on pages after the first. */
  verdict: EvalVerdict | null;
  /** Whether the caller may read the results of both runs. Otherwise there are no items. */
  areItemsVisible: boolean;
}
export const RunComparison: Schema<RunComparison> = z
  .strictObject({
    a: Run,
    b: Run,
    summary: z
      .strictObject({
        fixed: z.int(),
        broken: z.int(),
        samePass: z.int(),
        sameFail: z.int(),
        onlyA: z.int(),
        onlyB: z.int(),
        errored: z.int(),
      })
      .nullable(),
    verdict: z.nullable(EvalVerdict),
    areItemsVisible: z.boolean(),
    items: z.array(CaseComparison),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: "RunComparison" });

const share: Schema<number> = z
  .string()
  .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, { error: "must be a number from 0 to 1, such as 0.05" })
  .transform(Number)
  .meta({ type: "number", minimum: 0, maximum: 1 });

/** Which runs to compare. */
export interface CompareRuns extends PageQuery {
  /** The run before. */
  a: string;
  /** The run that is judged. */
  b: string;
  /** Only cases that changed (`changed`: all but `samePass` and `sameFail`), or that changed in one way. */
  only?: "changed" | Change;
  /** Only this case. */
  caseKey?: string;
  /** A drop of the pass rate or of the score up to this is no regression (0 to 1). Default: 0. */
  maxDrop?: number;
}
export const CompareRuns: Schema<CompareRuns> = z.strictObject({
  ...pageQuery({ max: 500 }),
  a: id("run"),
  b: id("run"),
  only: z.enum(["changed", ...changes]).optional(),
  caseKey: plainText({ min: 1, max: 200 }).optional(),
  maxDrop: share.optional(),
});

export const compare = op({
  route: "GET /evals/compare",
  access: {
    auth: "optional",
    scope: "read",
    on: { run: "viewers" },
    from: "query.a",
    with: { b: { on: { run: "viewers" }, from: "query.b" } },
    restricted: {},
  },
  query: CompareRuns,
  results: { 200: json(RunComparison) },
  errors: ["runs_not_comparable", "invalid_cursor"],
});
