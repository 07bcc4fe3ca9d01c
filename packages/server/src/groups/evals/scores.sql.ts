import type { ListScores, VersionScore } from "@promptreg/core";
import { columns } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";
import { datasetOfRun, ofDataset, runTables, type Viewing } from "./runs.sql.ts";

/** From `runTables`, and `trend t`. */
const scoreColumns = columns<VersionScore, Pick<Viewing, "isOwner">>({
  versionNumber: "r.version_n",
  model: "r.model",
  dataset: datasetOfRun,
  runId: "r.id",
  verdict: "r.verdict",
  cases: "(r.summary ->> 'cases')::int",
  passRate: "(r.summary ->> 'passRate')::float8",
  score: "(r.summary ->> 'score')::float8",
  finishedAt: "iso(r.finished_at)",
  pinnedRunId: `(
    select other.id from eval_runs other
    where other.pinned and (other.prompt_id, other.version_n, other.model) = (r.prompt_id, r.version_n, r.model)
      and other.dataset_id is not distinct from r.dataset_id)`,
  trend: `(r.summary ->> 'passRate')::float8 - (
    select (earlier.summary ->> 'passRate')::float8 from eval_runs earlier
    where earlier.prompt_id = r.prompt_id and earlier.version_n < r.version_n and earlier.model = r.model
      and coalesce(md5(earlier.dataset_id), '') = coalesce(md5(r.dataset_id), '')
      and earlier.dataset_revision is not distinct from r.dataset_revision
      and earlier.status = 'completed' and earlier.deleted_at is null
    order by earlier.version_n desc, earlier.id desc limit 1)`,
});

/**
 * A page of scores: of each version the latest completed run per model and dataset. They are read in the order of
 * `eval_runs_by_score`, which has the digest of a dataset's id, because cursors can be read.
 */
export const selectScores = (
  sql: Sql,
  {
    promptId,
    wanted: { version, dataset, model },
    page: { after, take },
    isOwner,
  }: { promptId: string; wanted: Omit<ListScores, "prompt">; page: Page } & Pick<Viewing, "isOwner">,
) => {
  const [n, ...rest] = (after ?? []) as [number, string, string];
  const conditions = [
    sql`prompt_id = ${promptId} and status = 'completed' and deleted_at is null`,
    ...(version === undefined ? [] : [sql`version_n = ${version}`]),
    ...(dataset === undefined ? [] : [ofDataset(sql, dataset, { isOwner })]),
    ...(model === undefined ? [] : [sql`model = ${model}`]),
    ...(after === null
      ? []
      : [
          sql`version_n <= ${n} and (version_n < ${n} or (model, coalesce(md5(dataset_id), '')) > (${rest[0] ?? ""}, ${rest[1] ?? ""}))`,
        ]),
  ];
  const latest = sql`(
    select distinct on (version_n, model, coalesce(md5(dataset_id), '')) *, coalesce(md5(dataset_id), '') as on_dataset
    from eval_runs where ${conditions.reduce((all, condition) => sql`${all} and ${condition}`)}
    order by version_n desc, model, coalesce(md5(dataset_id), ''), id desc limit ${take})`;
  return sql<Listed[]>`
    select row_to_json(shown)::text as item, json_build_array(r.version_n, r.model, r.on_dataset) as key
    from ${runTables(sql, latest)} cross join lateral (select ${scoreColumns(sql, { isOwner })}) shown
    order by r.version_n desc, r.model, r.on_dataset`;
};
