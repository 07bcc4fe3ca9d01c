import { one } from "../../database/rows.ts";
import type { CreateDataset, Dataset, JsonText, UpdateDataset } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { columns } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";
import { isDatasetShown } from "./dataset-target.ts";

/** A dataset, from `eval_datasets d` joined with `prompts p` and `users o`. */
const datasetColumns = columns<Dataset>({
  id: "d.id",
  prompt: { ref: "o.handle || '/' || p.slug" },
  name: "d.name",
  description: "d.description",
  visibility: "d.visibility",
  revision: "d.case_revision",
  caseCount: "d.case_count",
  createdAt: "iso(d.created_at)",
  updatedAt: "iso(d.updated_at)",
});

/** What a dataset shows that can change without its revision: names. */
export const datasetState = (sql: Sql): Fragment => sql`json_build_array(o.handle, p.slug)`;

export async function selectDataset(sql: Sql, id: string): Promise<JsonText<Dataset>> {
  const [row] = await sql<{ dataset: JsonText<Dataset> }[]>`
    select row_to_json(dataset)::text as dataset from (
      select ${datasetColumns(sql)}
      from eval_datasets d join prompts p on p.id = d.prompt_id join users o on o.id = p.owner_id
      where d.id = ${id} and d.deleted_at is null
    ) dataset`;
  // A read has no lock: the dataset may have been deleted since it was found.
  if (row === undefined) throw apiError("gone");
  return row.dataset;
}

/** A page of a prompt's datasets, by name. */
export const selectDatasets = (
  sql: Sql,
  {
    promptId,
    isOwner,
    page: { after, take },
  }: { promptId: string; isOwner: boolean; page: Pick<Page, "after" | "take"> },
) => sql<Listed[]>`
  select row_to_json(dataset)::text as item, json_build_array(d.name) as key
  from (
    select * from eval_datasets d
    where prompt_id = ${promptId} and ${isDatasetShown(sql, { isOwner })}
      ${after === null ? sql`` : sql`and name > ${after[0] as string}`}
    order by name limit ${take}
  ) d join prompts p on p.id = d.prompt_id join users o on o.id = p.owner_id
    cross join lateral (select ${datasetColumns(sql)}) dataset
  order by d.name`;

export async function countDatasets(sql: Sql, promptId: string): Promise<number> {
  const { count } = await one(sql<{ count: number }[]>`
    select count(*)::int as count from eval_datasets where prompt_id = ${promptId} and deleted_at is null`);
  return count;
}

/** Writes a dataset and gives its id; null if its name is taken. */
export async function insertDataset(
  sql: Sql,
  promptId: string,
  { name, description = null, visibility = "private" }: Omit<CreateDataset, "prompt">,
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    insert into eval_datasets (prompt_id, name, description, visibility)
    values (${promptId}, ${name}, ${description}, ${visibility})
    on conflict (prompt_id, name) where deleted_at is null do nothing
    returning id`;
  return row?.id ?? null;
}

/** Whether another dataset of the prompt has a name. Names change under the prompt's row lock. */
export async function isNameTaken(
  sql: Sql,
  { promptId, id, name }: { promptId: string; id: string; name: string },
): Promise<boolean> {
  const { count } = await sql`
    select from eval_datasets
    where prompt_id = ${promptId} and name = ${name} and deleted_at is null and id <> ${id}`;
  return count > 0;
}

/** Changes what a dataset says about itself, if anything is different. */
export const updateDataset = (
  sql: Sql,
  { id, change: { name, description, visibility } }: { id: string; change: UpdateDataset },
) => {
  const text = (column: string, value: string | null | undefined) =>
    value === undefined ? sql(column) : sql`${value}::text`;
  const all = sql`${text("name", name)}, ${text("description", description)}, ${text("visibility", visibility)}`;
  return sql`
    update eval_datasets
    set (name, description, visibility) = row(${all}), updated_at = clock(), revision = revision + 1
    where id = ${id} and (name, description, visibility) is distinct from (${all})`;
};

export const deleteDataset = (sql: Sql, id: string) => sql`
  update eval_datasets set deleted_at = clock(), revision = revision + 1 where id = ${id}`;

/** Records that the cases of a dataset changed. */
export const touchCases = (
  sql: Sql,
  { id, caseCount, lastPosition }: { id: string; caseCount: number; lastPosition: number },
) => sql`
  update eval_datasets
  set case_count = ${caseCount}, last_position = ${lastPosition}, case_revision = case_revision + 1,
    revision = revision + 1, updated_at = clock()
  where id = ${id}`;
