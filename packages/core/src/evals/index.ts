export { compareRuns, type Comparison, type Difference } from "./compare.ts";
export type { Judgement, Measure, VerdictOptions } from "./judge.ts";
export {
  CasePairs,
  type CaseMeans,
  type Change,
  type ComparedCase,
  type EvalResult,
  type RunName,
  type RunTotals,
} from "./pairs.ts";
export { casesToSee, smallestDrop } from "./power.ts";
export { type Verdict, verdictOf } from "./verdict.ts";
