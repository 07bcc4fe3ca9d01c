import type { Board, BoardItem, BoardQuery, BoardWindow, UserRef } from "@promptreg/core";
import { columns } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { accountRef, type Site } from "../../kernel/accounts/accounts.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";
import type { MediaSite } from "../../kernel/media/printed.sql.ts";
import { isMakeListed, makeById, makeSummary } from "../makes/index.ts";
import { isDecent, isListed, promptById, promptSummary, type Viewing } from "../prompts/index.ts";
import type { Count } from "./boards.sql.ts";
import { bestRun, isOpenRun } from "./runs.sql.ts";

interface Looking extends Viewing, MediaSite {}

/** What is shown of a board: its rows by the id of `place`, those that a viewer finds now, and how one is printed. */
interface Shown {
  from: Fragment;
  isShown: Fragment;
  entity: Fragment;
}

const isActive = (sql: Sql, owner: Fragment): Fragment =>
  sql`(select a.suspended_at is null from users a where a.id = ${owner})`;

const prompts = (sql: Sql, looking: Looking, { kind, tag }: BoardQuery): Shown => ({
  from: sql`cross join lateral ${promptById(sql, sql`place.id`)} p
    cross join lateral (select * from users u where u.id = p.owner_id offset 0) o`,
  isShown: sql`${isListed(sql)} and ${isDecent(sql, looking.caller)} and o.suspended_at is null
    and ${kind === undefined ? sql`true` : sql`p.kind = ${kind}`} and ${tag === undefined ? sql`true` : sql`p.tags @> array[${tag}]`}`,
  entity: promptSummary(sql, looking),
});

const boards: Record<Board, (sql: Sql, looking: Looking, query: BoardQuery) => Shown> = {
  prompts,
  makes: (sql, looking, { tag }) => ({
    from: sql`cross join lateral ${makeById(sql, sql`place.id`)} k`,
    isShown: sql`${isMakeListed(sql)} and ${isActive(sql, sql`k.owner_id`)}
      and ${tag === undefined ? sql`true` : sql`k.tags @> array[${tag}]`}`,
    entity: makeSummary(sql, looking),
  }),
  creators: (sql, looking) => ({
    from: sql`cross join lateral (select * from users where id = place.id offset 0) u`,
    isShown: sql`u.suspended_at is null`,
    entity: sql`(select row_to_json(person) from (select ${columns<UserRef, Site>(accountRef)(sql, looking)}) person)`,
  }),
  evals: (sql, looking, query) => {
    const { from, isShown, entity } = prompts(sql, looking, query);
    return {
      from: sql`${from} cross join lateral (select * from eval_runs where id = place.run_id offset 0) r`,
      isShown: sql`${isShown} and ${isOpenRun(sql)}`,
      entity: sql`json_build_object('prompt', ${entity}, 'run', ${bestRun(sql)})`,
    };
  },
};

/** A board, and who looks at it. */
export interface Wanted extends Looking {
  board: Board;
  window: BoardWindow;
  query: BoardQuery;
  count: Count;
  page: Page;
}

/**
 * A page of a count. What a viewer does not find now is left out before places are numbered, here and in the count before: numbers with gaps
 * would tell that something is hidden. So all of both is looked up by its ids. A cursor names the last item, and not its place, for the same
 * reason.
 */
export function selectPlaces(sql: Sql, wanted: Wanted): Promise<Listed[]> {
  const { board, window, query, count, page } = wanted;
  const { from, isShown, entity } = boards[board](sql, wanted, query);
  const placesOf = (at: string | null) => sql`
    (select * from leaderboards where board = ${board} and span = ${window} and computed_at = ${at}::timestamptz offset 0) l
      cross join lateral unnest(l.target_ids, l.scores, l.run_ids) with ordinality as place (id, score, run_id, position)`;
  const shownOf = (at: string | null) => sql`
    select array_agg(place.id order by place.position) as ids, array_agg(place.position order by place.position) as positions,
      array_agg(place.score order by place.position) as scores, array_agg(place.run_id order by place.position) as run_ids
    from ${placesOf(at)} ${from} where ${isShown}`;
  const last = page.after?.[1] ?? null;
  const isBeyond =
    last === null
      ? sql`true`
      : sql`place.position > (select place.position from ${placesOf(count.at)} where place.id = ${last})`;
  const item: Record<keyof BoardItem, Fragment> = {
    rank: sql`place.rank`,
    previousRank: sql`array_position((select ids from former), place.id)`,
    score: sql`place.score`,
    entity,
  };
  return sql<Listed[]>`
    with shown as materialized (${shownOf(count.at)}), former as materialized (${shownOf(count.before)})
    select json_build_object('rank', ${item.rank}, 'previousRank', ${item.previousRank}, 'score', ${item.score},
      'entity', ${item.entity})::text as item, json_build_array(${count.at}::text, place.id) as key
    from (
      select place.* from shown cross join lateral unnest(shown.ids, shown.positions, shown.scores, shown.run_ids)
        with ordinality as place (id, position, score, run_id, rank)
      where ${isBeyond} order by place.rank limit ${page.take}
    ) place ${from} order by place.rank`;
}
