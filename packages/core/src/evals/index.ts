export type { MatchedRuns, Sample } from "./samples.ts";
export { verdictOf, type VerdictOptions } from "./verdict.ts";
