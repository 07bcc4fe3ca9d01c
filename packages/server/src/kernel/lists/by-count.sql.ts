import type { Fragment, Sql } from "../../database/sql.ts";

/** Rows of a table that has an index of their order. All but the numbers are SQL about the `alias`. */
export interface ByCount {
  /** A table, without its alias. */
  from: Fragment;
  alias: Fragment;
  /** What the partial indexes contain. */
  listed: Fragment;
  /** What other indexes find, in any order. */
  fits: Fragment;
  /** The same condition for an index that ends the search soon: with its order, or as ids. */
  found?: Fragment;
  order: Fragment;
  /** Whether a row comes after the cursor position. */
  isBeyond?: Fragment;
  take: number;
  /** Up to this many matches are sorted. */
  few: number;
}

/**
 * The first matches in an order. The indexes of words, tags and times do not have the order of a list. Few matches are found by
 * them and then sorted. Many matches are read from the index of the order, which soon gives enough. The statement counts the
 * matches itself: the planner of a prepared statement cannot know. For many matches, a subquery hides the filters from the
 * planner.
 */
export function firstByCount(
  sql: Sql,
  { from, alias, listed, fits, found = fits, order, isBeyond = sql`true`, take, few }: ByCount,
): Fragment {
  return sql`
    with fit as materialized (select * from ${from} ${alias} where ${listed} and ${found} limit ${few + 1})
    (select * from fit ${alias} where (select count(*) from fit) <= ${few} and ${isBeyond} ${order} limit ${take})
    union all (
      select * from ${from} ${alias}
      where (select count(*) from fit) > ${few} and ${listed} and ${isBeyond} and (select ${fits})
      ${order} limit ${take}
    )`;
}
