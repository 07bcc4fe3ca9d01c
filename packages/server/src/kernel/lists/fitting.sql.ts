import type { Fragment, Sql } from "../../database/sql.ts";
import type { Listed, Page } from "./page.ts";

/** The approximate limit of a page: hundreds of the longest rows would not fit into memory. */
const pageMaxBytes = 8 * 1024 * 1024;

/** A row of a page that can end early. `found` is the number of rows without the size limit. */
export interface Fitting extends Listed {
  found: number;
}

/**
 * As many rows as fit on a page, and at least one. The column `size` has the length of a row, so that rows that do not fit
 * are never read whole.
 */
export const fitting = (sql: Sql, { rows, order }: { rows: Fragment; order: Fragment }): Fragment => sql`
  (select * from (
    select *, sum(size) over (order by ${order}) - size as bytes_before, count(*) over ()::int as found
    from (${rows}) wanted
  ) measured where bytes_before < ${pageMaxBytes})`;

/** Whether there is a next page after these rows. */
export const goesOn = (rows: readonly Pick<Fitting, "found">[], { take }: Page): boolean =>
  (rows[0]?.found ?? 0) > Math.min(rows.length, take - 1);
