export * from "./cases.ts";
export * from "./comparison.ts";
export * from "./import.ts";
export * from "./match.ts";
export { compareTexts } from "./order.ts";
export { minCases } from "./power.ts";
export * from "./read-cases.ts";
export * from "./runs.ts";
export {
  type MatchedRuns,
  type MeasuredRuns,
  measure,
  methodNumber,
  type Sample,
} from "./samples.ts";
export { maxDifferences, type Weighted } from "./sign-flip.ts";
export { verdictOf, type VerdictOptions } from "./verdict.ts";
