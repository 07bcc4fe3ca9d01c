import { one } from "../../database/rows.ts";
import type { RunSummary } from "@promptreg/core";
import { columns, type Part, piece } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import { caseOf } from "./datasets/case.sql.ts";

/**
 * Adds up results: rows with columns of eval_results, and `times`, how often each counts (-1 subtracts it). Sums are exact, so
 * that adding and subtracting the same result leaves 0.
 */
export const figures = piece`
  coalesce(sum(times), 0) as total,
  coalesce(sum(times) filter (where status = 'passed'), 0) as passed,
  coalesce(sum(times) filter (where status = 'failed'), 0) as failed,
  coalesce(sum(times) filter (where status = 'errored'), 0) as errored,
  coalesce(sum(times) filter (where status = 'skipped'), 0) as skipped,
  coalesce(sum(times) filter (where score is not null), 0) as scored,
  coalesce(sum(times * weight::numeric(30, 20)) filter (where status <> 'skipped'), 0) as counted_weight,
  coalesce(sum(times * weight::numeric(30, 20)) filter (where status = 'passed'), 0) as passed_weight,
  coalesce(sum(times * weight::numeric(30, 20)) filter (where score is not null), 0) as scored_weight,
  coalesce(sum(times * weight::numeric(30, 20) * score::numeric(30, 20)), 0) as score_sum,
  coalesce(sum(times * input_tokens), 0) as input_tokens,
  coalesce(sum(times * output_tokens), 0) as output_tokens,
  coalesce(sum(times * cost_usd::numeric(30, 20)), 0) as cost_usd`;

const summaryColumns = columns<RunSummary>({
  total: "total",
  passed: "passed",
  failed: "failed",
  errored: "errored",
  skipped: "skipped",
  cases: "cases",
  passRate: "(passed_weight / nullif(counted_weight, 0))::float8",
  score: "(score_sum / nullif(scored_weight, 0))::float8",
  latencyMsP50: "p50",
  latencyMsP95: "p95",
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  costUsd: "cost_usd::float8",
});

/** The JSON of a summary, from a query for one row with figures and latencies. */
const printed = <Given>(row: Part<Given>) => piece<Given>`
  (select row_to_json(s) from (select ${summaryColumns} from (${row}) f) s)`;

/** The summary so far of `eval_runs r`, while it is running. */
export const summarySoFar = printed(
  piece`select r.*, null::int as cases, null::float8 as p50, null::float8 as p95`,
);

/**
 * The summary of all results of a run. Where the cases of its dataset are known by their keys, only they count as cases: others cannot
 * stand for those that are missing.
 */
const wholeSummary = printed(piece<{ runId: string }>`
  select ${figures},
    case when bool_or(is_known)
      then count(distinct case_key) filter (where status <> 'skipped' and is_known)
      else count(distinct case_key) filter (where status <> 'skipped') end as cases,
    percentile_cont(0.5) within group (order by latency_ms) as p50,
    percentile_cont(0.95) within group (order by latency_ms) as p95
  from (
    select 1 as times, e.*, c.id is not null as is_known
    from eval_results e join eval_runs r on r.id = e.run_id
    left join lateral ${caseOf("r.dataset_id", "e.case_key")} c on true
    where e.run_id = ${(_, { runId }) => runId}) e`);

export async function selectSummary(sql: Sql, runId: string): Promise<RunSummary> {
  const { summary } = await one(
    sql<{ summary: RunSummary }[]>`select ${wholeSummary(sql, { runId })} as summary`,
  );
  return summary;
}
