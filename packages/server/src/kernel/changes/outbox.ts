import type { Sql } from "../../database/sql.ts";
import { afterCommit } from "../../database/transaction.ts";
import { type Bus, workToDo } from "./bus.ts";

const atOnce = 100;

/** Leaves a job to a worker, in the transaction of the change. Requests use this, and not the queue, which is the worker's alone. */
export async function leaveJob(
  sql: Sql,
  { bus }: { bus: Bus },
  task: string,
  payload: object = {},
): Promise<void> {
  await sql`insert into outbox (task, payload) values (${task}, ${JSON.stringify(payload)}::text::json)`;
  afterCommit(sql, () => bus.announce(workToDo));
}

/** Moves what changes left in the outbox to the queue, in the order in which it was written. */
export async function moveOutbox(sql: Sql): Promise<void> {
  for (let count = atOnce; count === atOnce; ) {
    const [moved] = await sql<{ count: number }[]>`
      with moved as (
        delete from outbox where id in (select id from outbox order by id limit ${atOnce} for update skip locked)
        returning id, task, payload
      ), added as (
        select add_jobs(array_agg(
          (task, payload, null, null, null, null, null, null)::job_spec order by id
        )) from moved having count(*) > 0
      )
      select count(*)::int as count, (select count(*) from added) from moved`;
    count = moved?.count ?? 0;
  }
}
