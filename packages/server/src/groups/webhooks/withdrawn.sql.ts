import { limitTo } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import { cancelled, isWithdrawn } from "./drain.sql.ts";
import { privateSeenBy } from "../../kernel/accounts/ownership.ts";

const seesPrivate = privateSeenBy("a.user_id");

/** Accounts per transaction, each with at most 20 webhooks. */
const oneChunk = limitTo(1_000);

/**
 * Cancels pending deliveries to those who watch, or recently watched, a prompt that turned private or was deleted. It may
 * miss some: of an event that is being fanned out, or of a watch that ended long ago. No drain sends those either.
 */
export async function giveUpWithdrawn(sql: Sql, { promptId }: { promptId: string }): Promise<void> {
  for (let last: string | null = ""; last !== null; )
    last = await giveUpChunk(sql, { promptId, after: last });
}

/** Locks the webhooks in the order of their ids, before their deliveries. Gives where the next chunk begins; null after the last. */
async function giveUpChunk(
  sql: Sql,
  { promptId, after }: { promptId: string; after: string },
): Promise<string | null> {
  const [row] = await sql<{ last: string | null }[]>`
    with accounts as materialized (
      select user_id from (
        select user_id from watches where prompt_id = ${promptId}
        union select user_id from former_watches where prompt_id = ${promptId}
      ) account
      where user_id > ${after} order by user_id ${oneChunk(sql)}
    ), waiting as materialized (
      select d.webhook_id, d.day, d.id
      from prompts p join accounts a on not (${seesPrivate(sql)})
        cross join lateral (select id from webhooks where user_id = a.user_id and deleted_at is null offset 0) w
        cross join lateral (select * from deliveries where webhook_id = w.id and status = 'pending' offset 0) d
        join events e on e.day = d.event_day and e.id = d.event_id and e.prompt_id = p.id
      where p.id = ${promptId} and ${isWithdrawn(sql)}
    ), held as materialized (
      select from webhooks where id in (select webhook_id from waiting) order by id for no key update
    ), given_up as (
      update deliveries d set ${cancelled(sql)}
      from waiting x
      where d.day = x.day and d.id = x.id and d.completed_at is null and (select count(*) from held) > 0
    )
    select max(user_id) as last from accounts`;
  return row?.last ?? null;
}
