import { limitTo } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import { reviveJobs } from "./mail.sql.ts";

/** Rows that one statement deletes, and statements of a sweep: together more than are written in a minute. */
const perStatement = 10_000;
const someRows = limitTo(perStatement);
const statements = 50;

/** Runs every minute: deletes notifications older than 180 days, and restarts what a crash left of others and of mails. */
export async function sweepNotifications(sql: Sql): Promise<void> {
  await reviveJobs(sql);
  for (let nth = 0; nth < statements; nth++) {
    const { count } = await sql`
      delete from notifications where ctid = any (array(
        select n.ctid from notices s
          cross join lateral (select ctid from notifications where notice_id = s.id offset 0) n
        where s.created_at < clock() - interval '180 days' order by s.created_at ${someRows(sql)}
      ))`;
    if (count < perStatement) break;
  }
  await sql`
    delete from notices where id = any (array(
      select s.id from notices s
      where s.created_at < clock() - interval '180 days'
        and not exists (select from notifications n where n.notice_id = s.id offset 0)
      order by s.created_at ${someRows(sql)}
    ))`;
}
