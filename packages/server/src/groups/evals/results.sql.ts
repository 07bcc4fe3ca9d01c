import { one } from "../../database/rows.ts";
import type { AppendedResults, ListResults, Result } from "@promptreg/core";
import type { StoredResult } from "@promptreg/core/evals";
import { columns, piece } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import type { Page } from "../../kernel/lists/page.ts";
import { type Fitting, fitting } from "../../kernel/lists/fitting.sql.ts";
import { caseOf } from "./datasets/case.sql.ts";
import { figures } from "./summary.sql.ts";
import type { RunRow } from "./target.ts";

const contentOf = (table: string) =>
  "index status score output output_truncated assertions latency_ms input_tokens output_tokens cost_usd error weight"
    .split(" ")
    .map((column) => `${table}.${column}`)
    .join(", ");
/** The weight that the case of a result `r` has now. With the digits that its sums have, so that no square of it is too small. */
const weightOfCase = piece<{ datasetId: string }>`coalesce((
  select c.weight::numeric(30, 20) from ${caseOf<{ datasetId: string }>((_, { datasetId }) => datasetId, 'r."caseKey"')} c), 1)`;
/** Whether a report says something else of an attempt than the one before. */
const isOther = piece`(${contentOf("e")}) is distinct from (${contentOf("excluded")})`;

/**
 * Writes a batch, and counts. A result with a known case and attempt replaces the earlier one, unless it is the same. Needs
 * the run's row lock, which keeps its figures and its results consistent.
 */
export async function upsertResults(
  sql: Sql,
  {
    run: { id: runId, datasetId },
    results,
  }: { run: Pick<RunRow, "id" | "datasetId">; results: readonly StoredResult[] },
): Promise<AppendedResults> {
  // Earlier results are found one by one, as the first from a key on: only the primary key has that order. Compared by `=`,
  // any index that begins with the run would do for a planner that expects few results of it, and read all of a long run.
  return one(sql<AppendedResults[]>`
    with batch as (
      select r."caseKey" as case_key, coalesce(r.attempt, 1) as attempt, r.index, r.status, r.score, r.output,
        r."outputTruncated" as output_truncated, coalesce(r.assertions, '[]') as assertions,
        r."latencyMs" as latency_ms, r."inputTokens" as input_tokens, r."outputTokens" as output_tokens,
        r."costUsd" as cost_usd, r.error, ${datasetId === null ? sql`1` : weightOfCase(sql, { datasetId })}::float8 as weight
      from jsonb_to_recordset(${sql.json(results as never)}) as r (
        "caseKey" text, attempt int, index int, status text, score float8, output text, "outputTruncated" boolean,
        assertions jsonb, "latencyMs" int, "inputTokens" int, "outputTokens" int, "costUsd" float8, error text)
    ), replaced as (
      select e.status, e.score, e.weight, e.input_tokens, e.output_tokens, e.cost_usd from batch b cross join lateral (
        select * from eval_results e
        where (e.run_id, e.case_key, e.attempt) >= (${runId}, b.case_key, b.attempt)
        order by e.run_id, e.case_key, e.attempt limit 1
      ) e
      where (e.run_id, e.case_key, e.attempt) = (${runId}, b.case_key, b.attempt)
    ), written as (
      insert into eval_results as e (run_id, case_key, attempt, index, status, score, output, output_truncated, assertions,
        latency_ms, input_tokens, output_tokens, cost_usd, error, weight)
      select ${runId}, batch.* from batch
      on conflict (run_id, case_key, attempt) do update set index = excluded.index, status = excluded.status,
        score = excluded.score, output = excluded.output, output_truncated = excluded.output_truncated,
        assertions = excluded.assertions, latency_ms = excluded.latency_ms, input_tokens = excluded.input_tokens,
        output_tokens = excluded.output_tokens, cost_usd = excluded.cost_usd, error = excluded.error,
        weight = excluded.weight
      where ${isOther(sql)}
      returning case_key
    ), change as (
      select ${figures(sql)}, (select count(*)::int from written) as appended from (
        select 1 as times, status, score, weight, input_tokens, output_tokens, cost_usd from batch
        union all select -1, * from replaced
      ) counted
    )
    update eval_runs r set heard_at = clock(), revision = r.revision + (c.appended > 0)::int, total = r.total + c.total,
      passed = r.passed + c.passed, failed = r.failed + c.failed, errored = r.errored + c.errored,
      skipped = r.skipped + c.skipped, scored = r.scored + c.scored, score_sum = r.score_sum + c.score_sum,
      counted_weight = r.counted_weight + c.counted_weight, passed_weight = r.passed_weight + c.passed_weight,
      scored_weight = r.scored_weight + c.scored_weight,
      input_tokens = r.input_tokens + c.input_tokens, output_tokens = r.output_tokens + c.output_tokens,
      cost_usd = r.cost_usd + c.cost_usd
    from change c where r.id = ${runId}
    returning c.appended, r.total`);
}

/** The columns of a result, from `eval_results e`. `datasetId`: the dataset of its run, unless that was deleted. */
export const resultColumns = columns<Result, { datasetId: string | null }>({
  id: "e.id",
  index: "e.index",
  caseId: piece<{ datasetId: string | null }>`
    (select c.id from ${caseOf<{ datasetId: string | null }>((_, { datasetId }) => datasetId, "e.case_key")} c)`,
  caseKey: "e.case_key",
  attempt: "e.attempt",
  status: "e.status",
  score: "e.score",
  output: "e.output",
  outputTruncated: "e.output_truncated",
  assertions: `coalesce((
    select json_agg(a) from jsonb_to_recordset(e.assertions) as a (type text, passed boolean, score float8, reason text)
  ), '[]')`,
  latencyMs: "e.latency_ms",
  inputTokens: "e.input_tokens",
  outputTokens: "e.output_tokens",
  costUsd: "e.cost_usd",
  error: "e.error",
  weight: "e.weight",
});

/** A page of a run's results, in report order. */
export function selectResults(
  sql: Sql,
  {
    run: { id: runId, liveDatasetId: datasetId },
    status,
    page: { after, take },
  }: { run: Pick<RunRow, "id" | "liveDatasetId">; page: Page } & Pick<ListResults, "status">,
): Promise<Fitting[]> {
  const rows = sql`
    select * from eval_results
    where run_id = ${runId} and ${status === undefined ? sql`true` : sql`status = ${status}`}
      and ${after === null ? sql`true` : sql`(index, id) > (${after[0] as number}, ${after[1] as string})`}
    order by index, id limit ${take}`;
  return sql<Fitting[]>`
    select row_to_json(result)::text as item, json_build_array(e.index, e.id) as key, e.found
    from ${fitting(sql, { rows, order: sql`index, id` })} e cross join lateral (
      select ${resultColumns(sql, { datasetId })}
    ) result
    order by e.index, e.id`;
}
