import type { ListComments } from "@promptreg/core";
import { one } from "../../database/rows.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { type Fitting, fitting } from "../../kernel/lists/fitting.sql.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import type { Key, Listed, Page } from "../../kernel/lists/page.ts";
import { isMakeVisibleTo, makeById } from "../makes/index.ts";
import { isPostVisible } from "../posts/index.ts";
import { isVisibleTo, promptById, type Viewing } from "../prompts/index.ts";
import { type Discussion, ownsDiscussed, placeIdOf } from "./discussion.ts";
import { authorColumns, type Reading, threadColumns } from "./columns.sql.ts";

/** Replies that stand beside the comment that began a thread. */
const firstReplies = 20;

type Order = NonNullable<ListComments["sort"]>;

/** The orders, each with its index. */
const orders = (sql: Sql) => ({
  oldest: { by: sql`id`, key: sql`json_build_array(id)` },
  newest: { by: sql`id desc`, key: sql`json_build_array(id)` },
  top: { by: sql`score desc, id desc`, key: sql`json_build_array(score, id)` },
});

// Subqueries, since the planner must not know the position: see `selectPrompts`.
function isBeyond(sql: Sql, order: Order, after: Key | null): Fragment {
  if (after === null) return sql`true`;
  const [first = null, second = null] = after;
  if (order === "top") return sql`(score, id) < ((select ${first}::float8), (select ${second}::text))`;
  return order === "oldest" ? sql`id > (select ${first}::text)` : sql`id < (select ${first}::text)`;
}

/** Which comments of a list somebody is shown. `list` is SQL. */
interface Wanted extends Pick<Viewing, "caller"> {
  list: Fragment;
  order: Order;
  after: Key | null;
  take: number;
}

/**
 * The comments of a list that a caller is shown: those that everybody is, and of the others their own, or all for a moderator. Each is
 * read from its own index, and no further than the page goes.
 */
function listed(sql: Sql, { list, caller, order, after, take }: Wanted): Fragment {
  const { by } = orders(sql)[order];
  const from = (which: Fragment) => sql`(
    select * from comments where list = ${list} and ${which} and ${isBeyond(sql, order, after)} order by ${by} limit ${take})`;
  const shown = from(sql`is_shown`);
  if (caller === null) return shown;
  const own = caller.role === "user" ? sql`and author_id = ${caller.id}` : sql``;
  const withheld = from(sql`status in ('held', 'hidden') ${own}`);
  return sql`(select * from (${shown} union all ${withheld}) every order by ${by} limit ${take})`;
}

/** A page of threads, or of the replies of one, which have none themselves. */
export function selectThreads(
  sql: Sql,
  {
    list,
    sort = "oldest",
    page: { after, take },
    ...reading
  }: { list: string; sort?: Order; page: Pick<Page, "after" | "take"> } & Reading,
): Promise<Fitting[]> {
  const { caller } = reading;
  const { by, key } = orders(sql)[sort];
  const replies = listed(sql, {
    list: sql`c.id`,
    caller,
    order: "oldest",
    after: null,
    take: firstReplies,
  });
  const rows = sql`
    select c.id, c.score, c.size + coalesce(r.size, 0) as size, r.ids
    from ${listed(sql, { list: sql`${list}`, caller, order: sort, after, take })} c
      left join lateral (select array_agg(id) as ids, sum(size) as size from ${replies} reply) r on true`;
  return sql<Fitting[]>`
    select row_to_json(thread)::text as item, f.key, f.found
    from (
      select *, ${key} as key from ${fitting(sql, { rows, order: by })} fitting
    ) f
      cross join lateral (select * from comments where id = f.id offset 0) c
      cross join lateral (select ${threadColumns(sql, reading, sql`f.ids`)}) thread
    order by ${order(sql, sort)}`;
}

/** Whether an account sees what `comments c` is on. */
const seesTarget = (sql: Sql, { id, role }: Caller): Fragment => sql`case
  when c.prompt_id is null then coalesce((select ${isMakeVisibleTo(sql, id)} from ${makeById(sql, sql`c.target`)} k),
    ${isPostVisible(sql, { id: sql`c.target`, viewerId: sql`${id}` })})
  else (
    select ${isVisibleTo(sql, { id })} or ${role !== "user"} and p.open_reports > 0 from ${promptById(sql, sql`c.prompt_id`)} p
  ) end`;

/** A page of what an account wrote, the newest first, whatever it is on. */
export const selectOwn = (
  sql: Sql,
  { page: { after, take }, caller, publicUrl }: { page: Page; caller: Caller; publicUrl: string },
): Promise<Fitting[]> => {
  const { id } = caller;
  // From the position on, those of others behind too: for a few of one author PostgreSQL could sort all of theirs.
  const from =
    after === null
      ? sql`author_id <= ${id}`
      : sql`(author_id, id) < (${id}, (select ${after[0] ?? null}::text))`;
  const rows = sql`
    select * from (
      select author_id, id, size from comments where ${from} and status <> 'deleted'
      order by author_id desc, id desc limit ${take}
    ) near where author_id = ${id}`;
  return sql<Fitting[]>`
    select row_to_json(thread)::text as item, json_build_array(f.id) as key, f.found
    from ${fitting(sql, { rows, order: sql`id desc` })} f
      cross join lateral (select * from comments where id = f.id offset 0) c
      cross join lateral (select ${seesTarget(sql, caller)} as is_seen) s
      cross join lateral (select ${authorColumns(sql, { address: null, caller, publicUrl })}) thread
    order by f.id desc`;
};

/** A page of the comments that are held, the oldest first, as far as a moderator sees what they are about. */
export const selectHeld = (
  sql: Sql,
  { page: { after, take }, caller, publicUrl }: { page: Page; caller: Caller; publicUrl: string },
): Promise<Listed[]> => sql<Listed[]>`
  select row_to_json(thread)::text as item, json_build_array(c.id) as key
  from (
    select c.* from comments c where c.status = 'held' and ${isBeyond(sql, "oldest", after)} and ${seesTarget(sql, caller)}
    order by c.id limit ${take}
  ) c
    cross join lateral (
      select ${threadColumns(sql, { address: null, caller, publicUrl }, sql`null::text[]`)}
    ) thread
  order by c.id`;

const order = (sql: Sql, sort: Order): Fragment =>
  ({ oldest: sql`f.id`, newest: sql`f.id desc`, top: sql`f.score desc, f.id desc` })[sort];

/** Whether and by whom a discussion is locked. */
export interface Lock {
  /** Only moderators can write more: this is locked, or all that belongs to its prompt. */
  locked: boolean;
  /** This itself is locked, and not by its owner. */
  isModerators: boolean;
}

export async function selectLock(sql: Sql, discussion: Discussion): Promise<Lock> {
  const { key } = discussion;
  const { locked, by } = await one(sql<{ locked: boolean; by: string | null }[]>`
    select count(*) > 0 as locked, max(locked_by) filter (where target = ${key}) as by
    from comment_locks where target in (${key}, ${placeIdOf(discussion)})`);
  return { locked, isModerators: by !== null && !ownsDiscussed({ id: by }, discussion) };
}
