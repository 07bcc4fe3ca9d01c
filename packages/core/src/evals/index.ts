export {
  type MatchedRuns,
  type MeasuredRuns,
  measure,
  methodNumber,
  type Sample,
} from "./samples.ts";
export { maxDifferences, type Weighted } from "./sign-flip.ts";
export { verdictOf, type VerdictOptions } from "./verdict.ts";
