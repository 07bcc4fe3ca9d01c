import type { ContestStatus, ListEntries } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Key, Listed, Page } from "../../kernel/lists/page.ts";
import { placeOf, printedContest, printedEntry } from "./shown.sql.ts";
import { isDue, status } from "./target.ts";
import { entriesOfAccount, type Looking, shownWork } from "./works.sql.ts";

/** A page of contests, the last to open first. `isDue`: one is over, and has no result yet. */
export function selectContests(
  sql: Sql,
  { wanted, page: { after, take }, ...looking }: Looking & { wanted: ContestStatus | undefined; page: Page },
) {
  const [at = null, id = null] = after ?? [];
  const isBeyond = after === null ? sql`true` : sql`(c.opens_at, c.id) < (${at}::timestamptz, ${id})`;
  const order = sql`order by c.opens_at desc, c.id desc`;
  return sql<(Listed & { isDue: boolean })[]>`
    select ${printedContest(sql, looking)}::text as item, json_build_array(iso(c.opens_at), c.id) as key, ${isDue(sql)} as "isDue"
    from (
      select c.* from contests c
      where ${isBeyond} and ${wanted === undefined ? sql`true` : sql`${status(sql)} = ${wanted}`} ${order} limit ${take}
    ) c ${order}`;
}

/** The requested entries, and who requests them. */
export interface Wanted extends Looking {
  contestId: string;
  query: ListEntries;
  page: Page;
}

/** An order of entries: the rows, the values that they are sorted by, and the rows after a cursor position. */
interface Order {
  from: Fragment;
  order: Fragment;
  key: Fragment;
}

/**
 * The orders. Each reads as many rows as a page needs, but the random one: it reads the ids of all entries. What it is made of is the
 * viewer, or the day for those without a token, and stands in the cursor, so that the order of a list stays when a day ends between pages.
 */
function orderOf(sql: Sql, { contestId, query, caller }: Wanted, after: Key | null): Order {
  const [first = null, id = null, drawn = null] = after ?? [];
  const ofContest = sql`e.contest_id = ${contestId}`;
  if (query.mine) {
    const isBeyond = after === null ? sql`true` : sql`e.id < ${first}`;
    return {
      from: sql`(
        select e.* from ${entriesOfAccount(sql, caller?.id ?? null)} e where ${ofContest} and ${isBeyond})`,
      order: sql`e.id desc`,
      key: sql`json_build_array(e.id)`,
    };
  }
  if (query.sort === "random") {
    const seed = drawn ?? caller?.id;
    const given = seed === undefined ? sql`iso(clock())::date::text` : sql`${seed}::text`;
    const isBeyond =
      after === null ? sql`true` : sql`(e.drawn, e.id) > ((select ${first}::text), (select ${id}::text))`;
    return {
      from: sql`(
        select * from (
          select e.*, seed.text as seed, md5(seed.text || e.id) as drawn
          from (select ${given} as text offset 0) seed, contest_entries e where ${ofContest} offset 0
        ) e where ${isBeyond})`,
      order: sql`e.drawn, e.id`,
      key: sql`json_build_array(e.drawn, e.id, e.seed)`,
    };
  }
  if (query.sort === "rank") {
    const isBeyond = after === null ? sql`true` : sql`r.rank > ${first}::int`;
    return {
      from: sql`(
        select e.*, r.rank as place from contest_places r
          cross join lateral (select * from contest_entries where id = r.entry_id offset 0) e
        where r.contest_id = ${contestId} and r.n = (select result_n from contests where id = ${contestId}) and ${isBeyond})`,
      order: sql`e.place`,
      key: sql`json_build_array(e.place)`,
    };
  }
  const isBeyond = after === null ? sql`true` : sql`e.id < (select ${first}::text)`;
  return {
    from: sql`(select e.* from contest_entries e where ${ofContest} and ${isBeyond})`,
    order: sql`e.id desc`,
    key: sql`json_build_array(e.id)`,
  };
}

/** A page of the entries of a contest that a viewer is shown. Only its rows are printed. */
export function selectEntries(sql: Sql, wanted: Wanted): Promise<Listed[]> {
  const { after, take } = wanted.page;
  const { from, order, key } = orderOf(sql, wanted, after);
  return sql<Listed[]>`
    select ${printedEntry(sql, wanted)}::text as item, ${key} as key
    from (
      select e.*, work.type from ${from} e cross join lateral ${shownWork(sql, wanted)} work order by ${order} limit ${take}
    ) e join contests c on c.id = e.contest_id left join lateral ${placeOf(sql)} r on true
    order by ${order}`;
}
