import type { BestRun } from "@promptreg/core";
import { object, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { isListed } from "../prompts/index.ts";

/** The fewest cases of a run that is ranked. */
const fewestCases = 20;

const [rate, cases] = [piece`(r.summary ->> 'passRate')::float8`, piece`(r.summary ->> 'cases')::int`];

/**
 * Whether everybody may read `eval_runs r` with its cases: it is on a public dataset, and of a version that is in use. Otherwise nobody could
 * tell what a pass rate is worth.
 */
export const isOpenRun = piece`(
  r.status = 'completed' and r.deleted_at is null
  and (select d.visibility = 'public' and d.deleted_at is null from eval_datasets d where d.id = r.dataset_id)
  and (select v.yanked_at is null from versions v where v.prompt_id = r.prompt_id and v.n = r.version_n))`;

/**
 * The runs of public prompts that are ranked, as `id, prompt_id, owner_id, rate, cases, finished_at`. As in scores, only the latest
 * completed one of a version, model and dataset counts: nobody is ranked by the luckiest of many tries.
 */
export const bestRuns = (sql: Sql, promptIds: readonly string[]): Fragment => sql`
  select r.id, r.prompt_id, p.owner_id, ${rate(sql)} as rate, ${cases(sql)} as cases, r.finished_at
  from unnest(${[...promptIds]}::text[]) as wanted (id)
    cross join lateral (select * from prompts where id = wanted.id and has_evals offset 0) p
    cross join lateral (
      select distinct on (version_n, model, coalesce(md5(dataset_id), '')) * from eval_runs
      where prompt_id = p.id and status = 'completed' and deleted_at is null
      order by version_n desc, model, coalesce(md5(dataset_id), ''), id desc offset 0
    ) r
  where ${isListed(sql)} and ${rate(sql)} > 0 and ${cases(sql)} >= ${fewestCases} and ${isOpenRun(sql)}`;

/** The JSON of `eval_runs r` as a board shows it. */
export const bestRun = object<BestRun>({
  id: "r.id",
  versionNumber: "r.version_n",
  model: "r.model",
  dataset: { id: "r.dataset_id", name: "r.dataset_name" },
  cases,
  passRate: rate,
  finishedAt: "iso(r.finished_at)",
});
