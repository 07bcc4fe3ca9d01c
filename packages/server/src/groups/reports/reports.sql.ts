import { one } from "../../database/rows.ts";
import type { JsonText, ListReports, Report, UpdateReport } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { columns, type Fields, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { userRef } from "../../kernel/accounts/accounts.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { ownedBy } from "../../kernel/accounts/ownership.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";
import { isOwnCollection } from "../collections/index.ts";
import { isMakeVisibleTo, makeById } from "../makes/index.ts";
import { isOwnPost, postById } from "../posts/index.ts";
import { isVisibleTo, promptById } from "../prompts/index.ts";
import type { Subject } from "./subject.ts";
import type { ReportRow } from "./target.ts";

/** Who reads reports, and where URLs begin. */
export interface Reading {
  caller: Caller;
  publicUrl: string;
}

/** So many characters of a reported text are shown with its report. */
const excerptLength = 280;
/** So many open reports on one thing are counted. */
const mostCounted = 10;

const part = (text: string, from: string) =>
  `(select left(${text}, ${excerptLength}) from (select * from ${from} offset 0) s)`;
/** How the reported text begins, or its title. */
const excerpt = `case r.kind
  when 'comment' then ${part("s.body", "comments where id = r.subject_id")}
  when 'example' then ${part("coalesce(s.title, s.output)", "examples where id = r.subject_id and deleted_at is null")}
  when 'collection' then ${part("s.title", "collections where id = r.subject_id and deleted_at is null")}
  when 'make' then ${part("s.title", "makes where id = r.subject_id and deleted_at is null")}
  when 'post' then ${part("s.title", "post_revisions where id = (select public_id from posts where id = r.subject_id and deleted_at is null)")}
  when 'user' then ${part("s.bio", "users where id = r.subject_id")}
  when 'change_request' then ${part("s.title", "change_requests where target_id = r.prompt_id and n = split_part(r.subject_id, '!', 2)::int")}
  else ${part("s.title", "prompts where id = r.prompt_id and deleted_at is null")}
end`;

/** The id of the make or the post that a report is about, or a comment on it. */
const place = piece`case r.kind when 'comment' then (select target from comments where id = r.subject_id) else r.subject_id end`;

/** Whether a caller can see what is reported, or could until it was deleted. A moderator can while a report on it is open. */
const isSeen = (sql: Sql, { caller: { id, role } }: Reading): Fragment => sql`coalesce(case
  when r.prompt_id is not null then (
    select ${isVisibleTo(sql, { id })} or p.open_reports > 0 and ${role !== "user"} from ${promptById(sql, sql`r.prompt_id`)} p
  )
  when r.kind = 'collection' then (
    select c.deleted_at is null and (c.visibility <> 'private' or ${isOwnCollection(sql, id)})
      or c.open_reports > 0 and ${role !== "user"}
    from (select * from collections where id = r.subject_id offset 0) c
  )
  when r.kind in ('make', 'post', 'comment') then coalesce(
    (select ${isMakeVisibleTo(sql, id)} from ${makeById(sql, place(sql))} k),
    (select b.deleted_at is null and (b.public_id is not null or ${isOwnPost(sql, id)}
      or b.status = 'in_review' and ${role !== "user"}) from ${postById(sql, place(sql))} b)
  )
  else true end, false)`;

/** A report, from `reports r` and whether it is `seen`. */
const forReporter: Fields<Report, Reading> = {
  id: "r.id",
  target: "case when seen.by_caller then json_build_object('type', r.kind, 'id', r.address) end",
  reason: "r.reason",
  details: "r.details",
  status: "r.status",
  action: "r.action",
  note: "r.note",
  createdAt: "iso(r.created_at)",
  handledAt: "iso(r.handled_at)",
  reporter: "null::json",
  owner: "null::json",
  handledBy: "null::json",
  excerpt: "null::text",
  openReports: "null::int",
};
const forModerator: Fields<Report, Reading> = {
  ...forReporter,
  reporter: userRef("r.reporter_id"),
  owner: userRef("r.owner_id"),
  handledBy: userRef("r.handled_by"),
  excerpt: `case when r.status = 'open' and seen.by_caller then ${excerpt} end`,
  openReports: `(select count(*)::int from (
    select from reports o where o.subject_id = r.subject_id and o.status = 'open' limit ${mostCounted}
  ) counted)`,
};

const printed = {
  reporter: columns<Report, Reading>(forReporter),
  moderator: columns<Report, Reading>(forModerator),
};
/** A report that is printed for a caller, as a table of one row, from `reports r`. */
const report = (sql: Sql, reading: Reading): Fragment => sql`(
  select ${printed[reading.caller.role === "user" ? "reporter" : "moderator"](sql, reading)}
  from (select ${isSeen(sql, reading)} as by_caller offset 0) seen
)`;

/** Prints a report. */
export async function selectReport(
  sql: Sql,
  { id, ...reading }: { id: string } & Reading,
): Promise<JsonText<Report>> {
  const [row] = await sql<{ report: JsonText<Report> }[]>`
    select row_to_json(report)::text as report
    from reports r cross join lateral ${report(sql, reading)} report where r.id = ${id}`;
  if (row === undefined) throw apiError("not_found");
  return row.report;
}

const isAboutOwn = ownedBy<{ id: string }>((_, { id }) => id, "reports");

/** A page of the reports that a caller is shown, the oldest first. */
export function selectReports(
  sql: Sql,
  {
    query: { status = "open", reason, target, mine = false },
    page: { after, take },
    ...reading
  }: { query: ListReports; page: Page } & Reading,
): Promise<Listed[]> {
  const { id, role } = reading.caller;
  const [kind = "", address = ""] = target?.split(":") ?? [];
  const shown =
    role === "user" || mine
      ? sql`reporter_id = ${id}`
      : sql`(not ${isAboutOwn(sql, { id })} or reporter_id = ${id})`;
  // A subquery, since the planner must not know the position: see `selectPrompts`.
  const isBeyond = after === null ? sql`true` : sql`id > (select ${after[0] ?? null}::text)`;
  return sql<Listed[]>`
    select row_to_json(report)::text as item, json_build_array(r.id) as key
    from (
      select * from reports
      where status = ${status} and ${shown} and ${isBeyond}
        ${reason === undefined ? sql`` : sql`and reason = ${reason}`}
        ${target === undefined ? sql`` : sql`and address = ${address} and kind = ${kind}`}
      order by id limit ${take}
    ) r cross join lateral ${report(sql, reading)} report
    order by r.id`;
}

/** The present address of a prompt. */
export async function selectAddress(sql: Sql, promptId: string): Promise<{ owner: string; slug: string }> {
  return one(sql<{ owner: string; slug: string }[]>`
    select o.handle as owner, p.slug from prompts p join users o on o.id = p.owner_id where p.id = ${promptId}`);
}

/** The present slug of a make. */
export async function selectSlug(sql: Sql, makeId: string): Promise<string> {
  const { slug } = await one(sql<{ slug: string }[]>`select slug from makes where id = ${makeId}`);
  return slug;
}

/**
 * How many reports of an account are open. Another one of it waits here until the transaction ends. That is no lock of the account's row:
 * two accounts that report each other hold the row of the other already.
 */
export async function countOpen(sql: Sql, reporterId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`reports ${reporterId}`}, 0))`;
  const { count } = await one(sql<{ count: number }[]>`
    select count(*)::int as count from reports where reporter_id = ${reporterId} and status = 'open'`);
  return count;
}

/** Writes a report, and gives its id; null if the account has an open one on the same thing. */
export async function insertReport(
  sql: Sql,
  {
    reporterId,
    subject,
    reason,
    details,
  }: { reporterId: string; subject: Subject } & Pick<Report, "reason" | "details">,
): Promise<string | null> {
  const { kind, id, address, promptId, ownerId } = subject;
  const [row] = await sql<{ id: string }[]>`
    insert into reports (reporter_id, kind, subject_id, address, prompt_id, owner_id, reason, details)
    values (${reporterId}, ${kind}, ${id}, ${address}, ${promptId}, ${ownerId}, ${reason}, ${details})
    on conflict do nothing returning id`;
  return row?.id ?? null;
}

/** Counts open reports on what is reported, where that decides who sees it. Needs its lock. */
export async function countReports(
  sql: Sql,
  { promptId, subjectId }: { promptId: string | null; subjectId: string },
  delta: number,
): Promise<void> {
  if (promptId !== null)
    await sql`update prompts set open_reports = open_reports + ${delta} where id = ${promptId}`;
  else await sql`update collections set open_reports = open_reports + ${delta} where id = ${subjectId}`;
}

/** A report that was decided. */
export interface Closed {
  id: string;
  reporterId: string;
}

/** Closes a report or, if something was done, all that are open on the same thing. */
export const closeReports = (
  sql: Sql,
  { id, subjectId }: Pick<ReportRow, "id" | "subjectId">,
  { status, action, note, callerId }: Required<UpdateReport> & { callerId: string },
): Promise<Closed[]> => sql<Closed[]>`
  update reports set status = ${status}, action = ${action}, note = ${note}, handled_by = ${callerId},
    handled_at = clock(), revision = revision + 1
  where status = 'open' and ${action === "none" ? sql`id = ${id}` : sql`subject_id = ${subjectId}`}
  returning id, reporter_id as "reporterId"`;
