import { one } from "../../database/rows.ts";
import type { CreateRun, JsonText, ListRuns, Run } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Ending } from "@promptreg/core/evals";
import { columns, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Page } from "../../kernel/lists/page.ts";
import { userRef } from "../../kernel/accounts/accounts.ts";
import { type Fitting, fitting } from "../../kernel/lists/fitting.sql.ts";
import { modelIdOf } from "@promptreg/core/models";
import { summarySoFar } from "./summary.sql.ts";

/** Who sees a run. */
export interface Viewing {
  publicUrl: string;
  isOwner: boolean;
}

/** What a run is printed from. `d`: its dataset, unless that was deleted. */
export const runTables = (sql: Sql, runs: Fragment): Fragment => sql`
  ${runs} r join prompts p on p.id = r.prompt_id join users o on o.id = p.owner_id
    left join lateral (
      select id, visibility from eval_datasets where id = r.dataset_id and deleted_at is null limit 1) d on true`;

const isOwner = (_: Sql, viewing: Pick<Viewing, "isOwner">) => viewing.isOwner;
/** What everybody sees of a run on a public dataset. Without one a run is private. */
const ifOpen = (value: string) =>
  piece<Pick<Viewing, "isOwner">>`case when ${isOwner} or d.visibility = 'public' then ${value} end`;
const ifOwn = (value: string) => piece<Pick<Viewing, "isOwner">>`case when ${isOwner} then ${value} end`;

/** The dataset of a run, from `runTables`. */
export const datasetOfRun = ifOpen(`case when r.dataset_id is not null then
  json_build_object('id', d.id, 'name', r.dataset_name, 'revision', r.dataset_revision) end`);

/** A run, from `runTables`. */
export const runColumns = columns<Run, Viewing>({
  id: "r.id",
  prompt: { ref: "o.handle || '/' || p.slug" },
  versionNumber: "r.version_n",
  dataset: datasetOfRun,
  model: "r.model",
  modelId: "r.model_id",
  params: "r.params",
  status: "r.status",
  verdict: "r.verdict",
  verdictSource: "r.verdict_source",
  pinned: "r.pinned",
  threshold: "r.threshold",
  summary: piece`coalesce(r.summary::json, ${summarySoFar})`,
  error: ifOwn("r.error"),
  source: ifOpen("r.source"),
  externalId: ifOwn("r.external_id"),
  createdBy: userRef("r.created_by"),
  createdAt: "iso(r.created_at)",
  finishedAt: "iso(r.finished_at)",
});

/** What a run shows that can change without its revision: names, and its dataset. From `eval_runs r`, `prompts p`, `users o`. */
export const runState = (sql: Sql): Fragment => sql`
  json_build_array(o.handle, p.slug, (select u.revision from users u where u.id = r.created_by),
    (select d.visibility from eval_datasets d where d.id = r.dataset_id and d.deleted_at is null))`;

export async function selectRun(
  sql: Sql,
  { id, ...viewing }: { id: string } & Viewing,
): Promise<JsonText<Run>> {
  const [row] = await sql<{ run: JsonText<Run> }[]>`
    select row_to_json(run)::text as run from (
      select ${runColumns(sql, viewing)}
      from ${runTables(sql, sql`eval_runs`)}
      where r.id = ${id} and r.deleted_at is null
    ) run`;
  // A read has no lock: the run may have been deleted since it was found.
  if (row === undefined) throw apiError("not_found");
  return row.run;
}

/** Whether a run is on a dataset, or on `none`. Nobody finds runs by a dataset that they cannot see. From `eval_runs`. */
export function ofDataset(sql: Sql, dataset: string, { isOwner }: Pick<Viewing, "isOwner">): Fragment {
  if (dataset === "none") return sql`dataset_id is null`;
  return isOwner
    ? sql`dataset_id = ${dataset}`
    : sql`dataset_id = (select id from eval_datasets
        where id = ${dataset} and visibility = 'public' and deleted_at is null)`;
}

/** A page of a prompt's runs, the newest first. */
export function selectRuns(
  sql: Sql,
  {
    promptId,
    wanted: { version, dataset, model, status, verdict },
    page: { after, take },
    ...viewing
  }: { promptId: string; wanted: Omit<ListRuns, "prompt">; page: Page } & Viewing,
): Promise<Fitting[]> {
  // Only the filters of the query: with `status = coalesce(null, status)` the planner would expect few rows.
  const conditions = [
    sql`prompt_id = ${promptId} and deleted_at is null`,
    ...(dataset === undefined ? [] : [ofDataset(sql, dataset, viewing)]),
    ...(after === null ? [] : [sql`id < ${after[0] as string}`]),
    ...(version === undefined ? [] : [sql`version_n = ${version}`]),
    ...(model === undefined ? [] : [sql`model = ${model}`]),
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(verdict === undefined ? [] : [sql`verdict = ${verdict}`]),
  ];
  const rows = sql`
    select * from eval_runs where ${conditions.reduce((all, condition) => sql`${all} and ${condition}`)}
    order by id desc limit ${take}`;
  return sql<Fitting[]>`
    select row_to_json(run)::text as item, json_build_array(r.id) as key, r.found
    from ${runTables(sql, fitting(sql, { rows, order: sql`id desc` }))}
      cross join lateral (select ${runColumns(sql, viewing)}) run
    order by r.id desc`;
}

/** A dataset as runs name it. */
export interface NamedDataset {
  id: string;
  name: string;
  revision: number;
}

/** The dataset of a prompt with this name or id; null if there is none. Cases change under the prompt's row lock. */
export async function selectNamedDataset(
  sql: Sql,
  { promptId, dataset }: { promptId: string; dataset: string },
): Promise<NamedDataset | null> {
  const [row] = await sql<NamedDataset[]>`
    select id, name, case_revision as revision from eval_datasets
    where prompt_id = ${promptId} and deleted_at is null and ${dataset} in (id, name)
    order by id = ${dataset} desc`;
  return row ?? null;
}

/** Writes a run and gives its id. */
export async function insertRun(
  sql: Sql,
  {
    promptId,
    n,
    run,
    dataset,
    userId,
  }: { promptId: string; n: number; run: CreateRun; dataset: NamedDataset | null; userId: string },
): Promise<string> {
  const { id } = await one(sql<{ id: string }[]>`
    insert into eval_runs (prompt_id, version_n, dataset_id, dataset_name, dataset_revision, model, model_id, params, threshold,
      source, external_id, created_by)
    values (${promptId}, ${n}, ${dataset?.id ?? null}, ${dataset?.name ?? null}, ${dataset?.revision ?? null}, ${run.model}, ${modelIdOf(run.model)}, ${sql.json((run.params ?? {}) as never)}, ${run.threshold ?? 1},
      ${run.source ? sql.json(run.source as never) : null}, ${run.externalId ?? null}, ${userId})
    returning id`);
  return id;
}

/**
 * The run with the reporter's own id, locked so that it is not deleted meanwhile; null if there is none. Runs of a prompt
 * begin under its row lock, so that no other one can begin meanwhile.
 */
export async function lockKnownRun(
  sql: Sql,
  { promptId, externalId }: { promptId: string; externalId: string },
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from eval_runs where prompt_id = ${promptId} and external_id = ${externalId}
    for no key update`;
  return row?.id ?? null;
}

/** The version that a run is reported for: the number, or the label's version now; null if there is none. */
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

/** Running runs without a report for a day, the oldest report first. */
export async function selectSilentRuns(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from eval_runs where status = 'running' and heard_at < clock() - interval '24 hours'
    order by heard_at limit 100`;
  return rows.map(({ id }) => id);
}

/** Ends a run, and records that its prompt has evals. */
export const endRun = (
  sql: Sql,
  id: string,
  { status, verdict, verdictSource, summary, error }: Ending,
) => sql`
  with ended as (
    update eval_runs set status = ${status}, verdict = ${verdict}, verdict_source = ${verdictSource},
      summary = ${sql.json(summary as never)}, error = ${error}, finished_at = clock(), revision = revision + 1
    where id = ${id}
    returning prompt_id
  )
  update prompts set has_evals = true from ended where prompts.id = ended.prompt_id and not has_evals`;

/** Pins or unpins a run. Pinning unpins the other run of the same version, model and dataset. */
export async function pinRun(sql: Sql, { id, pinned }: { id: string; pinned: boolean }): Promise<void> {
  if (pinned) {
    await sql`
      update eval_runs other set pinned = false, revision = other.revision + 1 from eval_runs r
      where r.id = ${id} and other.id <> r.id and other.pinned
        and (other.prompt_id, other.version_n, other.model) = (r.prompt_id, r.version_n, r.model)
        and other.dataset_id is not distinct from r.dataset_id`;
  }
  await sql`
    update eval_runs set pinned = ${pinned}, revision = revision + 1 where id = ${id} and pinned <> ${pinned}`;
}

/**
 * Deletes a run for everybody. The worker deletes its results, which may be many. Its `externalId` can be used again, and its
 * prompt may have no evals any more.
 */
export const markRunDeleted = (sql: Sql, id: string) => sql`
  with deleted as (
    update eval_runs set deleted_at = clock(), external_id = null, pinned = false, revision = revision + 1
    where id = ${id} returning prompt_id
  )
  update prompts set has_evals = false from deleted
  where prompts.id = deleted.prompt_id and has_evals and not exists (
    select from eval_runs r where r.prompt_id = prompts.id and r.id <> ${id} and r.status <> 'running' and r.deleted_at is null)`;
