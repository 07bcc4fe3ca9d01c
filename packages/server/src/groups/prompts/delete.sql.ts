import { one } from "../../database/rows.ts";
import type { Sql } from "../../database/sql.ts";

/** Marks a prompt as deleted, removes it from the search index, and gives the time. */
export async function deletePrompt(sql: Sql, promptId: string): Promise<string> {
  const { deletedAt } = await one(sql<{ deletedAt: string }[]>`
    with forgotten as (delete from search_documents where type = 'prompt' and id = ${promptId})
    update prompts set deleted_at = clock(), revision = revision + 1 where id = ${promptId}
    returning iso(deleted_at) as "deletedAt"`);
  return deletedAt;
}
