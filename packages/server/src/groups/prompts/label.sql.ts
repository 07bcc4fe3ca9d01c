import { one } from "../../database/rows.ts";
import type { JsonText, Label, LabelMove } from "@promptreg/core";
import { columns, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { userRef } from "../../kernel/accounts/accounts.ts";
import { promptById } from "./target.ts";

/** The version that a label points to; null if there is no such label. */
export async function selectLabelled(
  sql: Sql,
  { promptId, name }: { promptId: string; name: string },
): Promise<number | null> {
  const [row] = await sql<{ n: number }[]>`
    select version_n as n from labels where prompt_id = ${promptId} and name = ${name}`;
  return row?.n ?? null;
}

export async function countLabels(sql: Sql, promptId: string): Promise<number> {
  const { count } = await one(sql<{ count: number }[]>`
    select count(*)::int as count from labels where prompt_id = ${promptId}`);
  return count;
}

/** Whether a version can be labelled; `absent` if the prompt has no such version. */
export async function selectUsability(
  sql: Sql,
  { promptId, n }: { promptId: string; n: number },
): Promise<"usable" | "yanked" | "absent"> {
  const [row] = await sql<{ isYanked: boolean }[]>`
    select yanked_at is not null as "isYanked" from versions where prompt_id = ${promptId} and n = ${n}`;
  return row === undefined ? "absent" : row.isYanked ? "yanked" : "usable";
}

/** A move to write: to the label, its history, and the prompt's revision. */
export interface Move {
  promptId: string;
  name: string;
  from: number | null;
  to: number;
  reason: string | null;
  actor: Actor;
}

/** Who moves a label, and by which token. */
type Actor = Pick<Caller, "id" | "tokenName">;

/** The time of a label's next move: not before its last one, even if the clock was set back. */
const moveTime = (sql: Sql, promptId: string, name: string | Fragment): Fragment => sql`
  greatest(clock(), (select max(m.at) from label_moves m where m.prompt_id = ${promptId} and m.name = ${name}))`;

export const writeMove = (sql: Sql, { promptId, name, from, to, reason, actor }: Move) => sql`
  with moved as (
    insert into labels (prompt_id, name, version_n, reason, updated_at, updated_by)
    values (${promptId}, ${name}, ${to}, ${reason}, clock(), ${actor.id})
    on conflict (prompt_id, name) do update set version_n = excluded.version_n, reason = excluded.reason,
      updated_at = excluded.updated_at, updated_by = excluded.updated_by
  ), recorded as (
    insert into label_moves (prompt_id, name, from_n, to_n, reason, actor_id, token_name, at)
    values (${promptId}, ${name}, ${from}, ${to}, ${reason}, ${actor.id}, ${actor.tokenName}, ${moveTime(sql, promptId, name)})
  )
  update prompts set revision = revision + 1, updated_at = clock() where id = ${promptId}`;

interface Site {
  publicUrl: string;
}

/** The columns of a label, from `labels l`. */
const labelColumns = columns<Label, Site>({
  name: "l.name",
  versionNumber: "l.version_n",
  reason: "l.reason",
  updatedAt: "iso(l.updated_at)",
  updatedBy: userRef("l.updated_by"),
  system: "false",
});

/** The columns of the label `latest`, from the latest version `versions v`, in the same order for a union. */
const latestColumns = columns<Label, Site>({
  name: `'latest' collate "C"`,
  versionNumber: "v.n",
  reason: "null",
  updatedAt: "iso(v.created_at)",
  updatedBy: userRef("v.author_id"),
  system: "true",
});

/** The columns of a label's move, from `label_moves m`. */
const moveColumns = columns<LabelMove, Site & { viewerId: string | null }>({
  id: "m.id",
  name: "m.name",
  fromVersionNumber: "m.from_n",
  toVersionNumber: "m.to_n",
  reason: "m.reason",
  actor: userRef("m.actor_id"),
  token: piece<{
    viewerId: string | null;
  }>`case when m.actor_id = ${(_, { viewerId }) => viewerId} then m.token_name end`,
  at: "iso(m.at)",
});

export async function selectLabel(
  sql: Sql,
  { promptId, name, publicUrl }: { promptId: string; name: string; publicUrl: string },
): Promise<JsonText<Label>> {
  const { label } = await one(sql<{ label: JsonText<Label> }[]>`
    select row_to_json(label)::text as label from (
      select ${labelColumns(sql, { publicUrl })} from labels l where l.prompt_id = ${promptId} and l.name = ${name}
    ) label`);
  return label;
}

/** A requested page of a list of one prompt. */
interface Listing extends Site {
  promptId: string;
  page: Page;
}

/** The labels of a prompt by name, with `latest` unless all versions are yanked. */
export const selectLabels = (
  sql: Sql,
  { promptId, publicUrl, page: { after, take } }: Listing,
): Promise<Listed[]> => sql<Listed[]>`
  select row_to_json(label)::text as item, json_build_array(label.name) as key from (
    select ${labelColumns(sql, { publicUrl })} from labels l where l.prompt_id = ${promptId}
    union all
    select ${latestColumns(sql, { publicUrl })}
    from ${promptById(sql, sql`${promptId}`)} p join versions v on v.prompt_id = p.id and v.n = p.latest_version
  ) label
  where ${after === null ? sql`true` : sql`label.name > ${after[0] ?? null}`}
  order by label.name limit ${take}`;

/** The moves of a label, newest first. */
export const selectMoves = (
  sql: Sql,
  {
    promptId,
    name,
    viewerId,
    publicUrl,
    page: { after, take },
  }: Listing & { name: string; viewerId: string | null },
): Promise<Listed[]> => sql<Listed[]>`
  select (select row_to_json(move)::text from (select ${moveColumns(sql, { publicUrl, viewerId })}) move) as item,
    json_build_array(m.seq) as key
  from label_moves m
  where m.prompt_id = ${promptId} and m.name = ${name}
    and ${after === null ? sql`true` : sql`m.seq < ${after[0] ?? null}::bigint`}
  order by m.seq desc limit ${take}`;

/** The names of the labels that point to a version. */
export async function selectLabelsAt(
  sql: Sql,
  { promptId, n }: { promptId: string; n: number },
): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from labels where prompt_id = ${promptId} and version_n = ${n} order by name`;
  return rows.map(({ name }) => name);
}

/** Deletes labels by name, records it in their history, and gives the deleted ones with their versions. */
export const deleteLabels = (
  sql: Sql,
  {
    promptId,
    names,
    reason = null,
    actor,
  }: { promptId: string; names: readonly string[]; reason?: string | null; actor: Actor },
): Promise<{ name: string; from: number }[]> => sql<{ name: string; from: number }[]>`
  with deleted as (
    delete from labels where prompt_id = ${promptId} and name = any (${[...names]}::text[])
    returning name, version_n
  ), recorded as (
    insert into label_moves (prompt_id, name, from_n, reason, actor_id, token_name, at)
    select ${promptId}, d.name, d.version_n, ${reason}, ${actor.id}, ${actor.tokenName}, ${moveTime(sql, promptId, sql`d.name`)}
    from deleted d order by d.name
  ), revised as (
    update prompts set revision = revision + 1, updated_at = clock() from deleted where id = ${promptId}
  )
  select name, version_n as from from deleted order by name`;
