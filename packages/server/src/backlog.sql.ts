import { limitTo } from "./database/columns.ts";
import type { Sql } from "./database/sql.ts";
import type { Backlog } from "./kernel/telemetry/backlog.ts";

const most = limitTo(10_000);

/** Counts what is due and waits for a worker. */
export async function selectBacklog(sql: Sql, { hasCdn }: { hasCdn: boolean }): Promise<Backlog> {
  const [row] = await sql<[{ backlog: Backlog }]>`
    select json_object_agg(name, json_build_object('count', count, 'ageSeconds', greatest(0, coalesce(age, 0)))) as backlog
    from (
      select 'jobs' as name, count(*), extract(epoch from now() - min(run_at)) as age
      from (select run_at from _private_jobs where is_available and run_at <= now() ${most(sql)}) due
      union all
      select 'events', count(*), extract(epoch from clock() - min(created_at))
      from (select created_at from events where fanned_out_at is null order by created_at ${most(sql)}) due
      union all
      select 'deliveries', count(*), extract(epoch from clock() - min(next_attempt_at))
      from (
        select next_attempt_at from deliveries where completed_at is null and next_attempt_at <= clock()
        order by next_attempt_at ${most(sql)}
      ) due
      union all
      select 'media', count(*), extract(epoch from clock() - min(created_at))
      from (
        select created_at from media where status = 'processing' and deleted_at is null order by owner_id, id ${most(sql)}
      ) due
      union all
      select 'purges', count(*), extract(epoch from clock() - min(requested_at))
      from (
        select requested_at from purges where attempts > 0 or due_at <= clock() and ${hasCdn} order by due_at ${most(sql)}
      ) due
    ) waiting`;
  return row.backlog;
}
