import type { EntryType, IneligibleReason } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";
import type { ContestRow } from "./target.ts";
import { entriesOfAccount, type Looking, printedWork, worksOf } from "./works.sql.ts";

/** Whose works, and in which contest. */
interface Asked {
  contest: ContestRow;
  caller: Caller;
}

/** Why a work `w` of the caller's cannot be entered, or null. What its owner cannot change comes first. */
const reasonOf = (sql: Sql, { accepts, kinds }: ContestRow): Fragment => sql`
  case when w.type <> all (${accepts}) then 'type_not_accepted'
    when w.type = 'prompt' and w.kind <> all (${kinds}) then 'kind_not_accepted'
    when not w.is_published then 'not_published'
    when w.visibility <> 'public' then 'not_public' end`;

/** How many entries an account has in a contest. A disqualified one stays one. */
const entriesOf = (sql: Sql, { contest, caller }: Asked): Fragment => sql`
  (select count(*) from ${entriesOfAccount(sql, caller.id)} e where e.contest_id = ${contest.id})`;

/** Why one work of the caller's cannot be entered; null if it can. */
export async function selectReason(
  sql: Sql,
  { contest, caller, type, targetId }: Asked & { type: EntryType; targetId: string },
): Promise<IneligibleReason | null> {
  const [row] = await sql<{ reason: IneligibleReason | null }[]>`
    select coalesce(${reasonOf(sql, contest)},
      case when ${entriesOf(sql, { contest, caller })} >= ${contest.entriesPerUser} then 'entry_limit' end) as reason
    from ${worksOf(sql, caller.id, { type, id: targetId })} w`;
  return row ? row.reason : "not_public";
}

/** A page of the caller's works, the newest first, each with whether it can be entered. */
export function selectEligible(
  sql: Sql,
  {
    contest,
    type,
    page: { after, take },
    ...looking
  }: Looking & Asked & { type: EntryType | undefined; page: Page },
) {
  const [at = null, id = null] = after ?? [];
  const isBeyond =
    after === null ? sql`true` : sql`(w.created_at, w.target_id) < (${at}::timestamptz, ${id})`;
  const order = sql`order by w.created_at desc, w.target_id desc`;
  return sql<Listed[]>`
    select json_build_object('type', w.type, 'target', ${printedWork(sql, looking, sql`w`)}, 'entered', w.entered, 'reason',
        case when not w.entered then coalesce(${reasonOf(sql, contest)},
          case when used.entries >= ${contest.entriesPerUser} then 'entry_limit' end) end)::text as item,
      json_build_array(iso(w.created_at), w.target_id) as key
    from (
      select w.*, exists (
        select from (select contest_id from contest_entries where target_id = w.target_id offset 0) e
        where e.contest_id = ${contest.id}) as entered
      from (select w.* from ${worksOf(sql, looking.caller.id, { type })} w where ${isBeyond} ${order} limit ${take}) w
    ) w, (select ${entriesOf(sql, { contest, caller: looking.caller })} as entries offset 0) used
    ${order}`;
}
