import type { Dataset } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { TargetKind } from "../../kernel/target.ts";
import { type PromptRow, promptColumns, promptTarget } from "../prompts/index.ts";
import { seesPrivate } from "../../kernel/accounts/ownership.ts";

/** A dataset with the prompt that it belongs to. */
export interface DatasetRow {
  id: string;
  revision: string;
  visibility: Dataset["visibility"];
  caseCount: number;
  lastPosition: number;
  isDeleted: boolean;
  prompt: PromptRow;
}

/** A case with its dataset. The ETag of the dataset stands for all of its cases. */
export interface CaseRow {
  id: string;
  revision: string;
  dataset: DatasetRow;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    dataset: DatasetRow;
    case: CaseRow;
  }
}

const datasetColumns = (sql: Sql): Fragment => sql`
  d.id, d.revision::text, d.visibility, d.case_count as "caseCount", d.last_position as "lastPosition",
  d.deleted_at is not null as "isDeleted", (select row_to_json(q) from (select ${promptColumns(sql)}) q) as prompt`;

/** Which datasets of a visible prompt a caller sees: the rule of `visibility` below for lists. From `eval_datasets d`. */
export const isDatasetShown = (sql: Sql, { isOwner }: { isOwner: boolean }): Fragment =>
  isOwner ? sql`d.deleted_at is null` : sql`d.deleted_at is null and d.visibility = 'public'`;

/** A public dataset is seen by who sees the prompt, a private one by the owner alone. */
export const datasetTarget: TargetKind<DatasetRow, { id: string }> = {
  alias: "d",
  from: (sql, { id }) => sql`
    from eval_datasets d join prompts p on p.id = d.prompt_id join users o on o.id = p.owner_id where d.id = ${id}`,
  columns: datasetColumns,
  lockFirst: (sql, { id }, strength) => [
    sql`select from prompts p join eval_datasets d on d.prompt_id = p.id where d.id = ${id} for ${strength} of p`,
  ],
  lockedBy: ({ prompt }) => `prompt ${prompt.id}`,
  visibility({ prompt, visibility, isDeleted }, caller) {
    if (visibility === "private" && !seesPrivate(caller, prompt)) return "hidden";
    const ofPrompt = promptTarget.visibility(prompt, caller);
    return ofPrompt === "visible" && isDeleted ? "gone" : ofPrompt;
  },
  roles: ({ prompt }, caller) => promptTarget.roles(prompt, caller),
};

export const caseTarget: TargetKind<CaseRow, { id: string; caseId: string }> = {
  alias: "c",
  from: (sql, { id, caseId }) => sql`
    from eval_cases c join eval_datasets d on d.id = c.dataset_id join prompts p on p.id = d.prompt_id
      join users o on o.id = p.owner_id
    where c.id = ${caseId} and c.dataset_id = ${id}`,
  columns: (sql) => sql`
    c.id, d.revision::text, (select row_to_json(w) from (select ${datasetColumns(sql)}) w) as dataset`,
  lockFirst: (sql, { id }, strength) => [
    ...(datasetTarget.lockFirst?.(sql, { id }, strength) ?? []),
    sql`select from eval_datasets where id = ${id} for ${strength}`,
  ],
  lockedBy: ({ dataset }) => `prompt ${dataset.prompt.id}`,
  visibility: ({ dataset }, caller) => datasetTarget.visibility(dataset, caller),
  roles: ({ dataset }, caller) => datasetTarget.roles(dataset, caller),
};
