import { limitTo } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import { countAll } from "./counters.ts";

/** What viewers do with prompts. Downloads are a number in `counts`. */
export type ActKind = "download" | "open";

/** An act on a day. */
export interface Act {
  promptId: string;
  act: ActKind;
  viewer: Buffer;
  detail: string;
}

/** Today in UTC. */
export async function selectDay(sql: Sql): Promise<string> {
  const [row] = await sql<{ day: string }[]>`select (clock() at time zone 'UTC')::date::text as day`;
  return row?.day ?? "";
}

/**
 * Inserts the acts that are new on this day, and counts those. In one order, so that two processes cannot each wait for the
 * other.
 */
export const insertActs = (sql: Sql, day: string, acts: readonly Act[]) => sql`
  with new as (
    insert into activity (day, prompt_id, act, viewer, detail)
    select ${day}::date, prompt_id, act, decode(viewer, 'hex'), detail
    from unnest(${acts.map(({ promptId }) => promptId)}::text[], ${acts.map(({ act }) => act)}::text[],
      ${acts.map(({ viewer }) => viewer.toString("hex"))}::text[], ${acts.map(({ detail }) => detail)}::text[]
    ) as noted (prompt_id, act, viewer, detail)
    order by 2, 3, 4
    on conflict do nothing returning prompt_id, act
  )
  ${countAll(
    sql,
    sql`select prompt_id, 'downloads', count(*)::int from new where act = 'download' group by prompt_id`,
  )}`;

/** Rows that one statement deletes. */
const chunk = 10_000;
const someRows = limitTo(chunk);

/** Deletes acts of more than 30 days ago. */
export async function deleteOldActivity(sql: Sql): Promise<void> {
  for (let deleted = chunk; deleted === chunk; ) {
    ({ count: deleted } = await sql`
      delete from activity where (day, prompt_id, act, viewer) in (
        select day, prompt_id, act, viewer from activity where day < (clock() at time zone 'UTC')::date - 30 ${someRows(sql)})`);
  }
}
