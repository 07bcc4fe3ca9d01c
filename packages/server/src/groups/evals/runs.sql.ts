import type { CreateRun, JsonText, Run, RunSummary } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import { userRef } from "../users/index.ts";

/** Sums up the results of `eval_runs r`: what a running run shows, and what an ended one keeps. */
const summaryOf = (sql: Sql): Fragment => sql`
  (select row_to_json(s) from (
    select count(*) as total,
      count(*) filter (where e.status = 'passed') as passed,
      count(*) filter (where e.status = 'failed') as failed,
      count(*) filter (where e.status = 'errored') as errored,
      count(*) filter (where e.status = 'skipped') as skipped,
      count(*) filter (where e.status = 'passed')::float8
        / nullif(count(*) filter (where e.status <> 'skipped'), 0) as "passRate",
      avg(e.score) as score,
      percentile_cont(0.5) within group (order by e.latency_ms) as "latencyMsP50",
      percentile_cont(0.95) within group (order by e.latency_ms) as "latencyMsP95",
      coalesce(sum(e.input_tokens), 0) as "inputTokens",
      coalesce(sum(e.output_tokens), 0) as "outputTokens",
      coalesce(sum(e.cost_usd), 0) as "costUsd"
    from eval_results e where e.run_id = r.id
  ) s)`;

export async function selectRun(
  sql: Sql,
  { id, publicUrl, isOwner }: { id: string; publicUrl: string; isOwner: boolean },
): Promise<JsonText<Run>> {
  const [row] = await sql<{ run: JsonText<Run> }[]>`
    select row_to_json(run)::text as run from (
      select r.id, json_build_object('ref', o.handle || '/' || p.slug) as prompt, r.version_n as "versionNumber",
        null as dataset, r.model, null as "modelId", r.params, r.status, r.verdict,
        r.verdict_source as "verdictSource", r.pinned, r.threshold,
        coalesce(r.summary::json, ${summaryOf(sql)}) as summary, r.error,
        ${isOwner ? sql`r.source` : sql`null`} as source, r.external_id as "externalId",
        ${userRef(sql, publicUrl, sql`r.created_by`)} as "createdBy",
        iso(r.created_at) as "createdAt", iso(r.finished_at) as "finishedAt"
      from eval_runs r join prompts p on p.id = r.prompt_id join users o on o.id = p.owner_id
      where r.id = ${id}
    ) run`;
  if (row === undefined) throw new Error(`the run of this request is gone: ${id}`);
  return row.run;
}

/** Writes a run and gives its id; null where the reporter's own id names one already. */
export async function insertRun(
  sql: Sql,
  { promptId, n, run, userId }: { promptId: string; n: number; run: CreateRun; userId: string },
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    insert into eval_runs (prompt_id, version_n, model, params, threshold, source, external_id, created_by)
    values (${promptId}, ${n}, ${run.model}, ${sql.json((run.params ?? {}) as never)}, ${run.threshold ?? 1},
      ${run.source ? sql.json(run.source as never) : null}, ${run.externalId ?? null}, ${userId})
    on conflict (prompt_id, external_id) do nothing
    returning id`;
  return row?.id ?? null;
}

export async function selectRunId(
  sql: Sql,
  { promptId, externalId }: { promptId: string; externalId: string },
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from eval_runs where prompt_id = ${promptId} and external_id = ${externalId}`;
  return row?.id ?? null;
}

/** The version a run is reported for: that number, or where the label points now; null where there is none. */
export async function selectReported(
  sql: Sql,
  { promptId, versionNumber, label }: { promptId: string; versionNumber?: number; label?: string },
): Promise<number | null> {
  const [row] = await sql<{ n: number | null }[]>`
    select case when ${label ?? null}::text = 'latest' then p.latest_version
      when ${label ?? null}::text is not null then (
        select version_n from labels where prompt_id = p.id and name = ${label ?? null})
      else (select n from versions where prompt_id = p.id and n = ${versionNumber ?? null}) end as n
    from prompts p where p.id = ${promptId}`;
  return row?.n ?? null;
}

/** Runs of which nothing was heard for a day, the most silent first. */
export async function selectSilentRuns(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from eval_runs where status = 'running' and heard_at < clock() - interval '24 hours'
    order by heard_at limit 100`;
  return rows.map(({ id }) => id);
}

/** How a run ended. */
export interface Ending {
  id: string;
  status: "completed" | "failed";
  verdict: "pass" | "fail" | null;
  verdictSource: "computed" | "reported" | null;
  summary: RunSummary;
  error: string | null;
}

export async function selectSummary(sql: Sql, id: string): Promise<RunSummary> {
  const [row] = await sql<
    { summary: RunSummary }[]
  >`select ${summaryOf(sql)} as summary from eval_runs r where id = ${id}`;
  if (row === undefined) throw new Error(`the run of this request is gone: ${id}`);
  return row.summary;
}

/** Ends a run and gives the moment. */
export const endRun = (sql: Sql, { id, status, verdict, verdictSource, summary, error }: Ending) => sql`
  update eval_runs set status = ${status}, verdict = ${verdict}, verdict_source = ${verdictSource},
    summary = ${sql.json(summary as never)}, error = ${error}, finished_at = clock()
  where id = ${id}`;

/** Pins a run's verdict in place of the one that was pinned for the same version and model. */
export async function pinRun(sql: Sql, { id, pinned }: { id: string; pinned: boolean }): Promise<void> {
  if (pinned) {
    await sql`
      update eval_runs other set pinned = false from eval_runs r
      where r.id = ${id} and other.id <> r.id and other.pinned
        and (other.prompt_id, other.version_n, other.model) = (r.prompt_id, r.version_n, r.model)`;
  }
  await sql`update eval_runs set pinned = ${pinned} where id = ${id}`;
}
