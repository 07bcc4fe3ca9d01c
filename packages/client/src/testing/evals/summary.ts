import type { RunSummary } from "@promptreg/core";
import { decimalOf, divide, numberOf } from "./numeric.ts";
import type { StoredResult } from "./stored.ts";

/** The totals of results. `whole`: with those that are there once a run has ended. */
export function summaryOf(
  results: Iterable<StoredResult>,
  whole: { isKnown: (caseKey: string) => boolean } | null,
): RunSummary {
  const all = [...results];
  const of = (status: StoredResult["status"]) => all.filter((result) => result.status === status);
  const counted = all.filter(({ status }) => status !== "skipped");
  const scored = all.filter(({ score }) => score !== null);
  const weightOf = (some: StoredResult[]) => sum(some, ({ weight }) => decimalOf(weight));
  const scores = sum(scored, ({ weight, score }) => decimalOf(weight) * decimalOf(score ?? 0));
  const total = (field: "inputTokens" | "outputTokens") =>
    all.reduce((tokens, result) => tokens + (result[field] ?? 0), 0);
  const latencies = all.flatMap(({ latencyMs }) => latencyMs ?? []).sort((a, b) => a - b);
  return {
    total: all.length,
    passed: of("passed").length,
    failed: of("failed").length,
    errored: of("errored").length,
    skipped: of("skipped").length,
    cases: whole && casesIn(all, counted, whole.isKnown),
    passRate: divide(weightOf(of("passed")), weightOf(counted)),
    score: divide(scores, weightOf(scored), 40),
    latencyMsP50: whole && percentile(latencies, 0.5),
    latencyMsP95: whole && percentile(latencies, 0.95),
    inputTokens: total("inputTokens"),
    outputTokens: total("outputTokens"),
    costUsd: numberOf(sum(all, ({ costUsd }) => decimalOf(costUsd ?? 0))),
  };
}

const sum = (results: readonly StoredResult[], of: (result: StoredResult) => bigint): bigint =>
  results.reduce((all, result) => all + of(result), 0n);

/** Where cases of the dataset are among them, only those count. */
function casesIn(
  all: readonly StoredResult[],
  counted: readonly StoredResult[],
  isKnown: (caseKey: string) => boolean,
): number {
  const hasKnown = all.some(({ caseKey }) => isKnown(caseKey));
  const keys = new Set(counted.map(({ caseKey }) => caseKey));
  return hasKnown ? [...keys].filter(isKnown).length : keys.size;
}

/** A share of sorted values lies below it; between two of them it is interpolated. */
function percentile(sorted: readonly number[], share: number): number | null {
  const at = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  if (low === undefined || high === undefined) return null;
  return low + (at - Math.floor(at)) * (high - low);
}
