import { one } from "../../database/rows.ts";
import type { Watch, WatchedPrompt, WatchSetting } from "@promptreg/core";
import { columns, object } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import type { Key, Listed } from "../../kernel/lists/page.ts";
import { isVisibleTo, promptById, promptSummary, type Viewing } from "../prompts/index.ts";
import { isOwn, ownedBy } from "../../kernel/accounts/ownership.ts";

/** An account and a prompt. */
export interface Pair {
  userId: string;
  promptId: string;
}

/** The columns of a watch, from `prompts p` joined with the account's row of `watches w`. Owners may have no row. */
const watchColumns = columns<Watch>({
  level: "coalesce(w.level, 'all')",
  watchedAt: "iso(coalesce(w.watched_at, p.created_at))",
});

/** How an account watches a prompt; null if it does not. Owners have no row until they change their level. */
export async function selectWatch(sql: Sql, { userId, promptId }: Pair): Promise<Watch | null> {
  const [row] = await sql<Watch[]>`
    select ${watchColumns(sql)}
    from prompts p left join watches w on w.prompt_id = p.id and w.user_id = ${userId}
    where p.id = ${promptId} and (w.level is not null or ${isOwn(sql, userId)})`;
  return row ?? null;
}

/** How an account watches `prompts p`, if that is not the default. */
export const watchState = (sql: Sql, userId: Fragment): Fragment => sql`(
  select json_build_array(w.level, w.watched_at) from watches w where w.prompt_id = p.id and w.user_id = ${userId})`;

/** How many other prompts an account watches. Its own prompts count only if it changed their level. */
export async function countOthers(sql: Sql, { userId, promptId }: Pair): Promise<number> {
  const { count } = await one(sql<{ count: number }[]>`
    select count(*)::int as count from watches where user_id = ${userId} and prompt_id <> ${promptId}`);
  return count;
}

/**
 * Sets the level of a watch, and keeps the time when it began. The former level is kept for events that happened under it. Of
 * two changes in one millisecond, the first has no effect.
 */
export const writeWatch = (sql: Sql, { userId, promptId, level }: Pair & { level: WatchSetting }) => sql`
  with former as (
    insert into former_watches (prompt_id, user_id, level, since, until)
    select prompt_id, user_id, level, since, clock() from watches
    where prompt_id = ${promptId} and user_id = ${userId}
    on conflict do nothing
  ), counted as (
    insert into counter_changes (subject_id, name, delta)
    select ${promptId}, 'watchers', delta from (
      select (${level} <> 'ignore')::int - (select count(*)::int from watches
        where prompt_id = ${promptId} and user_id = ${userId} and level <> 'ignore') as delta
    ) change where delta <> 0 and not (select ${isOwn(sql, userId)} from prompts p where p.id = ${promptId})
  )
  insert into watches (prompt_id, user_id, level, watched_at)
  select p.id, ${userId}, ${level}, case when ${isOwn(sql, userId)} then p.created_at else clock() end
  from prompts p where p.id = ${promptId}
  on conflict (prompt_id, user_id) do update set level = excluded.level, since = excluded.since`;

const isOwnOfWatcher = ownedBy("former.user_id");

export const deleteWatch = (sql: Sql, { userId, promptId }: Pair) => sql`
  with former as (
    delete from watches where prompt_id = ${promptId} and user_id = ${userId} returning *
  ), counted as (
    insert into counter_changes (subject_id, name, delta)
    select prompt_id, 'watchers', -1 from former
    where level <> 'ignore' and not (select ${isOwnOfWatcher(sql)} from prompts p where p.id = ${promptId})
  )
  insert into former_watches (prompt_id, user_id, level, since, until)
  select prompt_id, user_id, level, since, clock() from former
  on conflict do nothing`;

/** The JSON of a watched prompt, from a row `f`, `prompts p` and `users o`. */
const watchedPrompt = object<WatchedPrompt, Viewing>({
  watchedAt: "iso(f.watched_at)",
  level: "f.level",
  prompt: promptSummary,
});

/**
 * The prompts that an account watches and can see now, newest watch first. A subquery with one value finds the row of an own
 * prompt: a join would compare each own prompt with each watch.
 */
export const listWatches = (
  sql: Sql,
  viewing: Viewing & { caller: Caller },
  { level, after, take }: { level: WatchSetting | undefined; after: Key | null; take: number },
) => {
  const { caller } = viewing;
  const [at = null, id = null] = after ?? [];
  const isBeyond = (key: Fragment) => (after ? sql`${key} < (${at}::timestamptz, ${id})` : sql`true`);
  return sql<Listed[]>`
    with followed as (
      (select w.prompt_id, w.level, w.watched_at
        from watches w cross join lateral ${promptById(sql, sql`w.prompt_id`)} p
        where w.user_id = ${caller.id} and ${isVisibleTo(sql, caller)}
          and ${level === undefined ? sql`true` : sql`w.level = ${level}`}
          and ${isBeyond(sql`(w.watched_at, w.prompt_id)`)}
        order by w.watched_at desc, w.prompt_id desc limit ${take})
      union all
      (select p.id, 'all', p.created_at from prompts p
        where ${isOwn(sql, caller.id)} and p.deleted_at is null
          and (select w.level from watches w where w.prompt_id = p.id and w.user_id = ${caller.id}) is null
          and ${level === undefined || level === "all"}
          and ${isBeyond(sql`(p.created_at, p.id)`)}
        order by p.created_at desc, p.id desc limit ${take})
      order by watched_at desc, prompt_id desc limit ${take}
    )
    select ${watchedPrompt(sql, viewing)}::text as item, json_build_array(iso(f.watched_at), f.prompt_id) as key
    from followed f join prompts p on p.id = f.prompt_id join users o on o.id = p.owner_id
    order by f.watched_at desc, f.prompt_id desc`;
};
