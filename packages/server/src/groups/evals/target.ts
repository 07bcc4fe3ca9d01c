import type { TargetKind } from "../../kernel/target.ts";
import { type PromptRow, promptColumns, promptTarget } from "../prompts/index.ts";

/** A run with the prompt that decides who may see it. */
export interface RunRow {
  id: string;
  revision: string;
  status: "running" | "completed" | "failed";
  versionNumber: number;
  model: string;
  threshold: number;
  verdict: "pass" | "fail" | null;
  error: string | null;
  /** How many results it has. */
  total: number;
  datasetId: string | null;
  datasetRevision: number | null;
  /** The same, or null if it was deleted. */
  liveDatasetId: string | null;
  /** Whether its dataset is public: whoever sees the run may read all of it. */
  isOpen: boolean;
  /** No report for a day. */
  isSilent: boolean;
  prompt: PromptRow;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    run: RunRow;
  }
}

/** Runs follow their prompt: who sees it sees its runs, and its owner reports them. */
export const runTarget: TargetKind<RunRow, { id: string }> = {
  parse: (id) => ({ id }),
  alias: "r",
  from: (sql, { id }) => sql`
    from eval_runs r join prompts p on p.id = r.prompt_id join users o on o.id = p.owner_id
      left join eval_datasets d on d.id = r.dataset_id and d.deleted_at is null
    where r.id = ${id} and r.deleted_at is null`,
  columns: (sql) => sql`
    r.id, r.revision::text, r.status, r.version_n as "versionNumber", r.model, r.threshold, r.verdict, r.error, r.total,
    r.dataset_id as "datasetId", r.dataset_revision as "datasetRevision", d.id as "liveDatasetId", coalesce(d.visibility = 'public', false) as "isOpen", r.heard_at < clock() - interval '24 hours' as "isSilent",
    (select row_to_json(q) from (select ${promptColumns(sql)}) q) as prompt`,
  // Ending a run writes an event about its prompt.
  lockFirst: (sql, { id }) => [
    sql`select from prompts p join eval_runs r on r.prompt_id = p.id where r.id = ${id} for no key update of p`,
  ],
  lockedBy: ({ prompt }) => `prompt ${prompt.id}`,
  visibility: ({ prompt }, caller) => promptTarget.visibility(prompt, caller),
  roles: ({ prompt }, caller) => {
    const roles = promptTarget.roles(prompt, caller);
    return roles.includes("owner") ? [...roles, "reader"] : roles;
  },
  rolesOfAll: ({ isOpen }) => (isOpen ? ["reader"] : []),
};
