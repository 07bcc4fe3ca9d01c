import type { Watch, WatchSetting } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/caller.ts";
import type { Key, Listed } from "../../kernel/page.ts";
import { promptSummary, type Viewing } from "../prompts/index.ts";

/** Who follows which prompt. */
export interface Pair {
  userId: string;
  promptId: string;
}

/** How an account follows a prompt; null when not at all. Owners do without a row, as long as they change nothing. */
export async function selectWatch(sql: Sql, { userId, promptId }: Pair): Promise<Watch | null> {
  const [row] = await sql<Watch[]>`
    select coalesce(w.level, 'all') as level, iso(coalesce(w.watched_at, p.created_at)) as "watchedAt"
    from prompts p left join watches w on w.prompt_id = p.id and w.user_id = ${userId}
    where p.id = ${promptId} and (w.level is not null or p.owner_id = ${userId})`;
  return row ?? null;
}

/** How an account follows a prompt, from `prompts p`, as far as it is not what it is by default. */
export const watchState = (sql: Sql, userId: Fragment): Fragment => sql`(
  select json_build_array(w.level, w.watched_at) from watches w where w.prompt_id = p.id and w.user_id = ${userId})`;

/** How many prompts an account follows beside this one, owners' rows counted and their defaults not. */
export async function countOthers(sql: Sql, { userId, promptId }: Pair): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from watches where user_id = ${userId} and prompt_id <> ${promptId}`;
  return row?.count ?? 0;
}

/**
 * Sets the level of a watch, which keeps the time at which it began. How it was is kept for events that happened then.
 * Of two changes in one millisecond the second ends what never held.
 */
export const writeWatch = (sql: Sql, { userId, promptId, level }: Pair & { level: WatchSetting }) => sql`
  with former as (
    insert into former_watches (prompt_id, user_id, level, since, until)
    select prompt_id, user_id, level, since, clock() from watches
    where prompt_id = ${promptId} and user_id = ${userId}
    on conflict do nothing
  )
  insert into watches (prompt_id, user_id, level, watched_at)
  select id, ${userId}, ${level}, case when owner_id = ${userId} then created_at else clock() end
  from prompts where id = ${promptId}
  on conflict (prompt_id, user_id) do update set level = excluded.level, since = excluded.since`;

export const deleteWatch = (sql: Sql, { userId, promptId }: Pair) => sql`
  with former as (
    delete from watches where prompt_id = ${promptId} and user_id = ${userId} returning *
  )
  insert into former_watches (prompt_id, user_id, level, since, until)
  select prompt_id, user_id, level, since, clock() from former
  on conflict do nothing`;

/**
 * What an account follows and can see now, newest first. Whether it has a row for a prompt of its own is asked in a
 * subquery of one value: joined, each of its prompts would be compared with each of its watches.
 */
export const listWatches = (
  sql: Sql,
  { caller, publicUrl }: Viewing & { caller: Caller },
  { level, after, take }: { level: WatchSetting | undefined; after: Key | null; take: number },
) => {
  const [at = null, id = null] = after ?? [];
  const beyond = (place: Fragment) => (after ? sql`${place} < (${at}::timestamptz, ${id})` : sql`true`);
  return sql<Listed[]>`
    with followed as (
      (select w.prompt_id, w.level, w.watched_at
        from watches w join prompts p on p.id = w.prompt_id
        where w.user_id = ${caller.id} and p.deleted_at is null
          and (p.owner_id = ${caller.id} or (p.visibility <> 'private' and p.status = 'published'))
          and ${level === undefined ? sql`true` : sql`w.level = ${level}`}
          and ${beyond(sql`(w.watched_at, w.prompt_id)`)}
        order by w.watched_at desc, w.prompt_id desc limit ${take})
      union all
      (select p.id, 'all', p.created_at from prompts p
        where p.owner_id = ${caller.id} and p.deleted_at is null
          and (select w.level from watches w where w.prompt_id = p.id and w.user_id = ${caller.id}) is null
          and ${level === undefined || level === "all"}
          and ${beyond(sql`(p.created_at, p.id)`)}
        order by p.created_at desc, p.id desc limit ${take})
      order by watched_at desc, prompt_id desc limit ${take}
    )
    select json_build_object('watchedAt', iso(f.watched_at), 'level', f.level,
        'prompt', ${promptSummary(sql, { caller, publicUrl })})::text as item,
      json_build_array(iso(f.watched_at), f.prompt_id) as key
    from followed f join prompts p on p.id = f.prompt_id join users o on o.id = p.owner_id
    order by f.watched_at desc, f.prompt_id desc`;
};
