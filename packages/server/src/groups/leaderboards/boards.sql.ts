import type { Board, BoardWindow } from "@promptreg/core";
import { limitTo } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";

/** Places of a board. */
const mostPlaces = limitTo(1_000);

/** Counts that are kept: two that a cursor can lead to, and the one before them. */
const kept = 3;
const keptCounts = limitTo(kept);

/**
 * Begins a count: gives its time, or null if another worker counts, or one did in the last half hour. The hour of the clock decides nothing:
 * a worker that is a second early would count for the hour before.
 */
export async function beginCount(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ at: string }[]>`
    select iso(clock()) as at where pg_try_advisory_xact_lock(hashtext('promptreg.leaderboards'))`;
  if (row === undefined) return null;
  // Read after the lock is held: whoever had it before has committed.
  const [recent] = await sql`
    select from leaderboards where computed_at > ${row.at}::timestamptz - interval '30 minutes' limit 1`;
  return recent ? null : row.at;
}

/** Stores the best of what was scored, of each board and window; an empty board too, so that it says when it was counted. */
export const storeBoards = (sql: Sql, at: string) => sql`
  insert into leaderboards (board, span, computed_at, target_ids, scores, run_ids)
  select b.board, w.span, ${at}::timestamptz, best.ids, best.scores, best.run_ids
  from unnest(array['prompts', 'makes', 'creators', 'evals']) b (board) cross join unnest(array['24h', '7d', '30d', 'all']) w (span)
    cross join lateral (
      select coalesce(array_agg(s.target_id), '{}') as ids, coalesce(array_agg(s.score), '{}') as scores,
        coalesce(array_agg(s.run_id), '{}') as run_ids
      from (
        select * from leaderboard_scores s where s.board = b.board and s.span = w.span
        order by s.score desc, s.cases desc, s.target_id ${mostPlaces(sql)}
      ) s
    ) best`;

/** Deletes what was scored, and the counts before those that are kept. */
export async function forgetCounts(sql: Sql): Promise<void> {
  await sql`delete from leaderboard_scores`;
  await sql`
    delete from leaderboards where computed_at < (
      select min(computed_at) from (
        select distinct computed_at from leaderboards order by computed_at desc ${keptCounts(sql)}) kept)`;
}

/** A count of one board, and the one before it. */
export interface Count {
  at: string;
  before: string | null;
}

/** The last count of a board, or the one that a cursor leads to; null if there is none, or it is kept no longer. */
export async function selectCount(
  sql: Sql,
  { board, window, at }: { board: Board; window: BoardWindow; at: string | null },
): Promise<Count | null> {
  const isWanted: Fragment = at === null ? sql`true` : sql`at = ${at}`;
  const [row] = await sql<Count[]>`
    select at, before from (
      select iso(computed_at) as at, lead(iso(computed_at)) over (order by computed_at desc) as before,
        row_number() over (order by computed_at desc) as nth
      from leaderboards where board = ${board} and span = ${window}
    ) counts where nth < ${kept} and ${isWanted} order by at desc limit 1`;
  return row ?? null;
}
