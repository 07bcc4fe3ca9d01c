import type { Sql } from "../../database/sql.ts";
import type { Loaded, LoadRequest, Target } from "../../kernel/target.ts";
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
  /** Nothing was heard of it for a day. */
  isSilent: boolean;
  prompt: PromptRow;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    run: RunRow;
  }
}

/** Runs follow their prompt: whoever sees it sees them, and its owner reports them. */
export const runTarget: Target<RunRow, { id: string }> = {
  async load(sql: Sql, { address, caller, lock }: LoadRequest<{ id: string }>): Promise<Loaded<RunRow>> {
    // The prompt is locked with its run, always in this order, because ending a run writes an event about it.
    if (lock) {
      await sql`
        select from prompts p join eval_runs r on r.prompt_id = p.id where r.id = ${address.id} for no key update of p`;
      await sql`select from eval_runs where id = ${address.id} for no key update`;
    }
    const [row] = await sql<Loaded<RunRow>[]>`
      select ${caller} as caller, (select row_to_json(t) from (
        select r.id, r.revision::text, r.status, r.version_n as "versionNumber", r.model, r.threshold, r.verdict, r.error,
          r.heard_at < clock() - interval '24 hours' as "isSilent",
          (select row_to_json(q) from (
            select ${promptColumns(sql)} from prompts p join users o on o.id = p.owner_id where p.id = r.prompt_id
          ) q) as prompt
        from eval_runs r where r.id = ${address.id}
      ) t) as target`;
    return row ?? { caller: null, target: null };
  },
  sight: ({ prompt }, caller) => promptTarget.sight(prompt, caller),
  roles: ({ prompt }, caller) => promptTarget.roles(prompt, caller),
};
