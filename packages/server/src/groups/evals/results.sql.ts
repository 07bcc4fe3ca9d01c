import type { ResultInput } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";

/** A result as it is stored: its output cut, if need be. */
export interface StoredResult extends ResultInput {
  outputTruncated: boolean;
}

/** Writes a batch; a result with a known case and attempt takes the place of the earlier one. */
export async function upsertResults(
  sql: Sql,
  { runId, results }: { runId: string; results: readonly StoredResult[] },
): Promise<number> {
  await sql`
    with written as (
      insert into eval_results (run_id, case_key, attempt, index, status, score, output, output_truncated, assertions,
        latency_ms, input_tokens, output_tokens, cost_usd, error)
      select ${runId}, r."caseKey", coalesce(r.attempt, 1), r.index, r.status, r.score, r.output, r."outputTruncated",
        coalesce(r.assertions, '[]'), r."latencyMs", r."inputTokens", r."outputTokens", r."costUsd", r.error
      from jsonb_to_recordset(${sql.json(results as never)}) as r (
        "caseKey" text, attempt int, index int, status text, score float8, output text, "outputTruncated" boolean,
        assertions jsonb, "latencyMs" int, "inputTokens" int, "outputTokens" int, "costUsd" float8, error text)
      on conflict (run_id, case_key, attempt) do update set index = excluded.index, status = excluded.status,
        score = excluded.score, output = excluded.output, output_truncated = excluded.output_truncated,
        assertions = excluded.assertions, latency_ms = excluded.latency_ms, input_tokens = excluded.input_tokens,
        output_tokens = excluded.output_tokens, cost_usd = excluded.cost_usd, error = excluded.error
    )
    update eval_runs set heard_at = clock() where id = ${runId}`;
  const [count] = await sql<{ total: number }[]>`
    select count(*)::int as total from eval_results where run_id = ${runId}`;
  return count?.total ?? 0;
}
