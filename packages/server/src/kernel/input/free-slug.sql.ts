import type { Fragment, Sql } from "../../database/sql.ts";

/** A slug, and the same with `-2`, `-3`… behind it, no longer than a slug may be: rows `(nth, candidate)`. */
export const numbered = (sql: Sql, slug: string, count: number): Fragment => sql`
  select nth, case nth when 1 then ${slug}::text else rtrim(left(${slug}, 63 - length(nth::text)), '-') || '-' || nth end
    as candidate
  from generate_series(1, ${count}) nth`;

/** How many numbers are tried behind a slug that is taken. */
const mostTried = 50;

/**
 * The slug itself, or the first of `-2`, `-3`… that is free. If all are taken, one with letters drawn at random.
 * `isFree` is a condition about `candidate`.
 */
export async function selectFree(sql: Sql, slug: string, isFree: Fragment): Promise<string> {
  const [row] = await sql<{ slug: string }[]>`
    select candidate as slug from (
      ${numbered(sql, slug, mostTried)}
      union all select ${mostTried + 1}, rtrim(left(${slug}, 55), '-') || '-' || substr(md5(random()::text), 1, 8)
    ) tried
    where ${isFree} order by nth limit 1`;
  return row?.slug ?? slug;
}
