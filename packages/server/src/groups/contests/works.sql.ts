import type { EntryType } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import { isOwn, ownedBy } from "../../kernel/accounts/ownership.ts";
import type { MediaSite } from "../../kernel/media/printed.sql.ts";
import { isMakeListed, isOwnMake, makeById, makeSummary } from "../makes/index.ts";
import { isDecent, isListed, promptById, promptSummary, type Viewing } from "../prompts/index.ts";

// What can be entered is of several kinds. What knows them stands here, and in `target.ts`.

/** Who looks, and where addresses begin. */
export interface Looking extends Viewing, MediaSite {}

const isEntrants = ownedBy<{ account: string | null }>((_, { account }) => account, "e");
/** Whether `contest_entries e` is an account's own. */
export const isOwnEntry = (sql: Sql, account: string | null): Fragment => isEntrants(sql, { account });

/** All entries of an account, as a table. They are few; with the contest as a second condition a plan could read all of that. */
export const entriesOfAccount = (sql: Sql, accountId: string | null): Fragment =>
  sql`(select e.* from contest_entries e where ${isOwnEntry(sql, accountId)} offset 0)`;

/** The JSON of a work as lists show it, whose `type` and `target_id` a row of this alias has. */
export const printedWork = (sql: Sql, looking: Looking, alias: Fragment): Fragment => sql`
  case ${alias}.type when 'prompt' then (
    select ${promptSummary(sql, looking)} from ${promptById(sql, sql`${alias}.target_id`)} p join users o on o.id = p.owner_id)
  else (select ${makeSummary(sql, looking)} from ${makeById(sql, sql`${alias}.target_id`)} k) end`;

/**
 * The type of the work of `contest_entries e`, as a table that is empty if a viewer is not shown it. A list of entries shows what lists
 * show, and what is the viewer's own; of a disqualified entry nobody but its entrant is told.
 */
export function shownWork(sql: Sql, { caller }: Pick<Looking, "caller">): Fragment {
  const id = caller?.id ?? null;
  return sql`(
    select 'prompt'::text as type from ${promptById(sql, sql`e.target_id`)} p
    where (e.disqualified_at is null and ${isListed(sql)} and ${isDecent(sql, caller)}
      or p.deleted_at is null and ${isOwn(sql, id)})
    union all
    select 'make' from ${makeById(sql, sql`e.target_id`)} k
    where (e.disqualified_at is null and ${isMakeListed(sql)}
      or k.deleted_at is null and ${isOwnMake(sql, id)}))`;
}

/**
 * Whether the work of `contest_entries e` competes: it is still what could be entered. What was deleted in time is withdrawn already, and a
 * prompt that was published is no draft again.
 */
export const competes = (sql: Sql): Fragment => sql`(
  select visibility = 'public' from prompts where id = e.target_id
  union all select visibility = 'public' and status = 'published' from makes where id = e.target_id)`;

/**
 * What is to be known of works of an account, as a table: of one, whose id is given, of all of a kind, or of all. No account has many; the
 * fences keep a plan from reading those of others.
 */
export function worksOf(
  sql: Sql,
  accountId: string,
  { type, id }: { type: EntryType | undefined; id?: string },
): Fragment {
  const are = (own: Fragment) => (id === undefined ? own : sql`id = ${id} and ${own}`);
  const of = {
    prompt: sql`
      select 'prompt'::text as type, p.id as target_id, p.kind, p.visibility, p.created_at,
        p.status = 'published' and p.latest_version is not null as is_published
      from (select * from prompts p where ${are(isOwn(sql, accountId))} and p.deleted_at is null offset 0) p`,
    make: sql`
      select 'make'::text as type, k.id as target_id, null::text as kind, k.visibility, k.created_at, k.status = 'published' as is_published
      from (select * from makes k where ${are(isOwnMake(sql, accountId))} and k.deleted_at is null offset 0) k`,
  };
  return type === undefined ? sql`(${of.prompt} union all ${of.make})` : sql`(${of[type]})`;
}
