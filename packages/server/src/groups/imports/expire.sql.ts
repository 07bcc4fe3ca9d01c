import type { Sql } from "../../database/sql.ts";

/** Imports of one statement: what they found can be large. */
const perStatement = 20;

/** Ends imports whose time is over, deletes what was sent and found, and forgets those of more than 90 days ago. */
export async function expireImports(sql: Sql): Promise<void> {
  for (let count = perStatement; count === perStatement; ) {
    ({ count } = await sql`
      with expired as (
        update imports set status = 'expired', finished_at = clock(), revision = revision + 1
        where id = any (array(
          select id from imports where status in ('uploading', 'ready') and expires_at <= clock()
          order by expires_at limit ${perStatement} for no key update skip locked))
        returning id
      ), chunks as (delete from import_chunks where import_id in (select id from expired)),
        items as (delete from import_items where import_id in (select id from expired))
      select from expired`);
  }
  for (let count = perStatement; count === perStatement; ) {
    ({ count } = await sql`
      delete from imports where id = any (array(
        select id from imports where id < first_id('imp', clock() - interval '90 days')
        order by id limit ${perStatement} for update skip locked))`);
  }
}
