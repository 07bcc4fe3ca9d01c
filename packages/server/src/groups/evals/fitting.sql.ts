import type { Fragment, Sql } from "../../database/sql.ts";
import type { Listed, Page } from "../../kernel/page.ts";

/** About how long a page is at most: hundreds of rows of the greatest length would not fit into memory. */
const pageMaxBytes = 8 * 1024 * 1024;

/** A row of a page that may have ended early, and how many rows there were for that page. */
export interface Fitting extends Listed {
  found: number;
}

/**
 * As many of the rows as fit on a page, and at least the first. A column `size` gives the length of each, so that rows
 * that do not fit are never read whole.
 */
export const fitting = (sql: Sql, { rows, order }: { rows: Fragment; order: Fragment }): Fragment => sql`
  (select * from (
    select *, sum(size) over (order by ${order}) - size as bytes_before, count(*) over ()::int as found
    from (${rows}) wanted
  ) measured where bytes_before < ${pageMaxBytes})`;

/** Whether the list goes on after these rows. */
export const goesOn = (rows: readonly Fitting[], { take }: Page): boolean =>
  (rows[0]?.found ?? 0) > Math.min(rows.length, take - 1);
