import type { Sql } from "../../database/sql.ts";

type At = { promptId: string; n: number };

/** Who yanked a version. Null: nobody. Undefined: there is no such version. */
export async function selectYank(
  sql: Sql,
  { promptId, n }: At,
): Promise<"owner" | "moderator" | null | undefined> {
  const [row] = await sql<{ whose: "owner" | "moderator" | null }[]>`
    select case when yanked_at is not null then case when yanked_as_moderator then 'moderator' else 'owner' end end
      as whose
    from versions where prompt_id = ${promptId} and n = ${n}`;
  return row?.whose;
}

/** A yank to write. */
export interface Yank {
  reason: string | null;
  callerId: string;
  asModerator: boolean;
}

export const writeYank = (sql: Sql, { promptId, n }: At, { reason, callerId, asModerator }: Yank) => sql`
  update versions set yanked_at = clock(), yanked_by = ${callerId}, yank_reason = ${reason},
    yanked_as_moderator = ${asModerator}
  where prompt_id = ${promptId} and n = ${n}`;

export const deleteYank = (sql: Sql, { promptId, n }: At) => sql`
  update versions set yanked_at = null, yanked_by = null, yank_reason = null, yanked_as_moderator = false
  where prompt_id = ${promptId} and n = ${n}`;

/** Updates the latest version of a prompt, and gives its number; null if all are yanked. */
export async function reviseLatest(sql: Sql, promptId: string): Promise<number | null> {
  const [row] = await sql<{ n: number | null }[]>`
    update prompts set revision = revision + 1, updated_at = clock(), latest_version = (
      select max(v.n) from versions v where v.prompt_id = prompts.id and v.yanked_at is null)
    where id = ${promptId}
    returning latest_version as n`;
  return row?.n ?? null;
}
