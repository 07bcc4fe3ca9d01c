import type { UserRef } from "@promptreg/core";
import { limitTo, object } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import { accountRef, type Site } from "../../kernel/accounts/accounts.ts";
import { beginsWith } from "../tags/index.ts";
import { type Discussion, ownerIdOf } from "./discussion.ts";

/** The latest comments whose authors take part. */
const latest = limitTo(500);

const person = object<UserRef, Site>(accountRef);

/** Accounts whose handles begin with a text: those who take part in a discussion, the latest first, then others by their handles. */
export const selectMentionable = (
  sql: Sql,
  {
    start,
    discussion,
    take,
    publicUrl,
  }: { start: string; discussion: Discussion | null; take: number } & Site,
) => {
  const begins = sql`u.suspended_at is null and ${beginsWith(sql, sql`u.handle collate "C"`, sql`${start}`)}`;
  const part = discussion
    ? sql`
      select author_id as id, max(id) as last from (
        select id, author_id, status, parent_id from comments where target = ${discussion.key} and is_shown
        order by id desc ${latest(sql)}
      ) c
      where status = 'visible' and (parent_id is null or (select is_shown from comments where id = c.parent_id))
      group by author_id
      union all select ${ownerIdOf(discussion)}, ''`
    : sql`select null::text as id, null::text as last`;
  return sql<{ item: UserRef }[]>`
    with part as materialized (select id, max(last) as last from (${part}) part group by id)
    select ${person(sql, { publicUrl })} as item from (
      (select u.*, p.last from part p cross join lateral (select * from users where id = p.id offset 0) u
        where ${begins} order by p.last desc limit ${take})
      union all
      (select u.*, null from users u
        where ${begins} and u.id not in (select id from part where id is not null) order by u.handle collate "C" limit ${take})
    ) u
    order by u.last desc nulls last, u.handle collate "C" limit ${take}`;
};
