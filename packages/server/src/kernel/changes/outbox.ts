import type { Sql } from "../../database/sql.ts";

const atOnce = 100;

/** Moves what changes left in the outbox to the queue, in the order in which it was written. */
export async function moveOutbox(sql: Sql): Promise<void> {
  for (let count = atOnce; count === atOnce; ) {
    const [moved] = await sql<{ count: number }[]>`
      with moved as (
        delete from outbox where id in (select id from outbox order by id limit ${atOnce} for update skip locked)
        returning id, task, payload
      ), added as (
        select graphile_worker.add_jobs(array_agg(
          (task, payload, null, null, null, null, null, null)::graphile_worker.job_spec order by id
        )) from moved having count(*) > 0
      )
      select count(*)::int as count, (select count(*) from added) from moved`;
    count = moved?.count ?? 0;
  }
}
