import type { JsonText, Label } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import { userRef } from "../users/index.ts";

export async function selectLabelled(
  sql: Sql,
  { promptId, name }: { promptId: string; name: string },
): Promise<number | null> {
  const [row] = await sql<{ n: number }[]>`
    select version_n as n from labels where prompt_id = ${promptId} and name = ${name}`;
  return row?.n ?? null;
}

export async function countLabels(sql: Sql, promptId: string): Promise<number> {
  const [row] = await sql<
    { count: number }[]
  >`select count(*)::int as count from labels where prompt_id = ${promptId}`;
  return row?.count ?? 0;
}

/** Whether a version can be labelled: `absent` where the prompt has no such number. */
export async function selectUsability(
  sql: Sql,
  { promptId, n }: { promptId: string; n: number },
): Promise<"usable" | "yanked" | "absent"> {
  const [row] = await sql<{ isYanked: boolean }[]>`
    select yanked_at is not null as "isYanked" from versions where prompt_id = ${promptId} and n = ${n}`;
  return row === undefined ? "absent" : row.isYanked ? "yanked" : "usable";
}

/** A move as it is written: to the label, to its history, and to the prompt's revision. */
export interface Move {
  promptId: string;
  name: string;
  from: number | null;
  to: number;
  reason: string | null;
  actorId: string;
}

export const writeMove = (sql: Sql, { promptId, name, from, to, reason, actorId }: Move) => sql`
  with moved as (
    insert into labels (prompt_id, name, version_n, reason, updated_at, updated_by)
    values (${promptId}, ${name}, ${to}, ${reason}, clock(), ${actorId})
    on conflict (prompt_id, name) do update set version_n = excluded.version_n, reason = excluded.reason,
      updated_at = excluded.updated_at, updated_by = excluded.updated_by
  ), recorded as (
    insert into label_moves (prompt_id, name, from_n, to_n, reason, actor_id, at)
    values (${promptId}, ${name}, ${from}, ${to}, ${reason}, ${actorId}, clock())
  )
  update prompts set revision = revision + 1, updated_at = clock() where id = ${promptId}`;

export async function selectLabel(
  sql: Sql,
  { promptId, name, publicUrl }: { promptId: string; name: string; publicUrl: string },
): Promise<JsonText<Label>> {
  const [row] = await sql<{ label: JsonText<Label> }[]>`
    select row_to_json(label)::text as label from (
      select l.name, l.version_n as "versionNumber", l.reason, iso(l.updated_at) as "updatedAt",
        ${userRef(sql, publicUrl, sql`l.updated_by`)} as "updatedBy", false as system
      from labels l where l.prompt_id = ${promptId} and l.name = ${name}
    ) label`;
  if (row === undefined) throw new Error(`the label just written is not there: ${name}`);
  return row.label;
}

/** Deletes a label, writes that into its history, and gives the version it was at; null where there is none. */
export async function deleteLabel(
  sql: Sql,
  { promptId, name, actorId }: { promptId: string; name: string; actorId: string },
): Promise<number | null> {
  const [row] = await sql<{ from: number }[]>`
    with deleted as (
      delete from labels where prompt_id = ${promptId} and name = ${name} returning version_n
    ), recorded as (
      insert into label_moves (prompt_id, name, from_n, actor_id, at)
      select ${promptId}, ${name}, version_n, ${actorId}, clock() from deleted
    ), revised as (
      update prompts set revision = revision + 1, updated_at = clock() from deleted where id = ${promptId}
    )
    select version_n as from from deleted`;
  return row?.from ?? null;
}
