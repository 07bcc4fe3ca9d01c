import { parseRef } from "@promptreg/core/refs";
import type { Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { ownedBy } from "../../kernel/accounts/ownership.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";
import { promptById, promptsAt } from "../prompts/index.ts";
import { type Looking, makeLink, makeSummary } from "./shown.sql.ts";
import { isOwnMake, makeById } from "./target.ts";

/** The JSON of a link and its make, of `make_links l`, `makes k`, `prompts p` and `users o`. */
const linked = (sql: Sql, looking: Looking) =>
  sql`json_build_object('link', ${makeLink(sql, looking)}, 'make', ${makeSummary(sql, looking)})`;

/** The approved makes of a prompt that a viewer sees, pinned ones first. The viewer's own unlisted ones are few. */
export function selectGallery(
  sql: Sql,
  {
    promptId,
    version,
    page: { after, take },
    ...looking
  }: { promptId: string; version: number | undefined; page: Page } & Looking,
) {
  const { caller } = looking;
  const [isPinned = null, at = null, id = null] = after ?? [];
  const order = sql`order by (l.pinned_at is not null) desc, l.decided_at desc, l.id desc`;
  const isWanted = sql`
    l.prompt_id = ${promptId} and ${version === undefined ? sql`true` : sql`l.version_n = ${version}`}
    and ${
      after === null
        ? sql`true`
        : sql`((l.pinned_at is not null), l.decided_at, l.id) < (${Boolean(isPinned)}::boolean, ${at}::timestamptz, ${id})`
    }`;
  const shown = sql`(select l.* from make_links l where l.is_shown and ${isWanted} ${order} limit ${take})`;
  const own =
    caller === null
      ? sql``
      : sql`union all (
          select l.* from (
            select k.id from makes k
            where ${isOwnMake(sql, caller.id)} and k.deleted_at is null and k.visibility = 'unlisted' offset 0
          ) k cross join lateral (select * from make_links where make_id = k.id offset 0) l
          where l.is_live and l.status = 'approved' and ${isWanted} ${order} limit ${take})`;
  return sql<Listed[]>`
    select ${linked(sql, looking)}::text as item,
      json_build_array((l.pinned_at is not null)::int, iso(l.decided_at), l.id) as key
    from (select l.* from (${shown} ${own}) l ${order} limit ${take}) l
      cross join lateral ${makeById(sql, sql`l.make_id`)} k
      cross join lateral ${promptById(sql, sql`l.prompt_id`)} p join users o on o.id = p.owner_id
    ${order}`;
}

const isToAccount = ownedBy<{ account: string }>((_, { account }) => account, "l");

/** The links that wait for an account, the newest first. */
export function selectInbox(
  sql: Sql,
  {
    prompt,
    page: { after, take },
    ...looking
  }: { prompt?: string; page: Page } & Looking & { caller: Caller },
) {
  const [id = null] = after ?? [];
  const isWanted =
    prompt === undefined
      ? sql`true`
      : sql`l.prompt_id = (select id from ${promptsAt(sql, parseRef(prompt))} there limit 1)`;
  return sql<Listed[]>`
    select ${linked(sql, looking)}::text as item, json_build_array(l.id) as key
    from (
      select l.* from make_links l
      where ${isToAccount(sql, { account: looking.caller.id })} and l.status = 'pending' and l.is_live and ${isWanted}
        and ${after === null ? sql`true` : sql`l.id < ${id}`}
        and (select deleted_at is null from prompts where id = l.prompt_id)
      order by l.id desc limit ${take}
    ) l cross join lateral ${makeById(sql, sql`l.make_id`)} k
      cross join lateral ${promptById(sql, sql`l.prompt_id`)} p join users o on o.id = p.owner_id
    order by l.id desc`;
}
