import { one } from "../../database/rows.ts";
import type { ChangeRequest, DiffStats, JsonText, ListChangeRequests } from "@promptreg/core";
import { inTurn } from "@promptreg/core/content";
import { apiError } from "@promptreg/core/errors";
import { piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";
import { type Rendered, renewing } from "../../kernel/markdown/rendered.ts";
import { accountsNamed, promptById, promptIdAt, type Viewing } from "../prompts/index.ts";
import { requestColumns, requestTables } from "./columns.sql.ts";
import { type PrintedRequest, withMergeable } from "./mergeable.ts";
import { promisedFiles } from "./sides.sql.ts";
import { ownedBy } from "../../kernel/accounts/ownership.ts";

const requestFields = (sql: Sql, viewing: Viewing): Fragment => sql`
  (select row_to_json(printed)::text from (select ${requestColumns(sql, viewing)}) printed) as printed,
  c.state = 'open' as "isOpen", ${promisedFiles(sql)} as promised`;

/** Prints a change request. */
export async function selectRequest(
  sql: Sql,
  { promptId, n, ...viewing }: { promptId: string; n: number } & Viewing,
): Promise<JsonText<ChangeRequest>> {
  const [row] = await sql<PrintedRequest[]>`
    select ${requestFields(sql, viewing)} from ${requestTables(sql)} where c.target_id = ${promptId} and c.n = ${n}`;
  if (row === undefined) throw apiError("not_found");
  return withMergeable(row);
}

const states: readonly ChangeRequest["state"][] = ["open", "closed", "merged"];

/** A page of the change requests of a prompt. Each state is read from its index, as far as the page goes. */
export async function selectRequests(
  sql: Sql,
  {
    promptId,
    query: { state = "open", author, sort = "newest" },
    page: { after, take },
    ...viewing
  }: { promptId: string; query: ListChangeRequests; page: Page } & Viewing,
): Promise<Listed[]> {
  const isNewest = sort === "newest";
  const order = isNewest ? sql`order by c.n desc` : sql`order by c.updated_at desc, c.n desc`;
  const key = isNewest ? sql`json_build_array(c.n)` : sql`json_build_array(iso(c.updated_at), c.n)`;
  const [first = null, second = null] = after ?? [];
  const isBeyond =
    after === null
      ? sql`true`
      : isNewest
        ? sql`c.n < ${first}::int`
        : sql`(c.updated_at, c.n) < (${first}::timestamptz, ${second}::int)`;
  const isByAuthor =
    author === undefined
      ? sql`true`
      : sql`c.author_id = (select id from ${accountsNamed(sql, author)} a limit 1)`;
  const rows = await sql<(PrintedRequest & { key: Listed["key"] })[]>`
    select ${requestFields(sql, viewing)}, ${key} as key
    from (
      select c.* from unnest(${state === "all" ? [...states] : [state]}::text[]) as wanted (state) cross join lateral (
        select c.* from change_requests c
        where c.target_id = ${promptId} and c.state = wanted.state and ${isByAuthor} and ${isBeyond}
        ${order} limit ${take}
      ) c
      ${order} limit ${take}
    ) c join prompts p on p.id = c.target_id join users o on o.id = p.owner_id
      join prompts s on s.id = c.source_id join users so on so.id = s.owner_id
    ${order}`;
  // Each compares the paths of up to 200 files, which takes milliseconds.
  const items: Listed[] = [];
  for (const { key, ...row } of rows) items.push({ item: await inTurn(() => withMergeable(row)), key });
  return items;
}

/** What a fork and the prompt that it was forked from last had in common. */
export interface Base {
  /** A version of the prompt. */
  baseN: number;
  /** The version of the fork that was merged into it, or that was made of it. Null: the author merged `baseN` into the fork. */
  baseSourceN: number | null;
}

/** What is compared when a version is proposed: it, and its base. */
export interface Proposal extends Base {
  targetId: string;
  sourceId: string;
  sourceN: number;
}

const base = piece`coalesce(m.merged_n, s.forked_from_n) as "baseN", coalesce(m.source_n, 1) as "baseSourceN"`;
/** The last merge of `prompts s`, for `base`. */
const lastMerge = piece`lateral (
  select merged_n, source_n from change_requests
  where source_id = s.id and state = 'merged' order by merged_n desc limit 1)`;

/** Null if the source is no fork of the target. */
export async function selectBase(
  sql: Sql,
  { sourceId, targetId }: { sourceId: string; targetId: string },
): Promise<Base | null> {
  const [row] = await sql<Base[]>`
    select ${base(sql)} from prompts s left join ${lastMerge(sql)} m on true
    where s.id = ${sourceId} and s.forked_from_id = ${targetId}`;
  return row ?? null;
}

/** The id of the source of the change request at an address. */
export const sourceOf = (
  sql: Sql,
  { n, ...address }: { owner: string; slug: string; n: number },
): Fragment => sql`(
  select source_id from change_requests where target_id = ${promptIdAt(sql, address)} and n = ${n})`;

const isOwnFork = ownedBy<{ callerId: string }>((_, { callerId }) => callerId, "s");

/** What will probably be compared for a fork of the caller's, before anything is locked; null if that is unknown. */
export async function selectLikely(
  sql: Sql,
  { sourceId, n, callerId }: { sourceId: Fragment; n: number | undefined; callerId: string },
): Promise<Proposal | null> {
  const [row] = await sql<Proposal[]>`
    select s.forked_from_id as "targetId", s.id as "sourceId", v.n as "sourceN", ${base(sql)}
    from ${promptById(sql, sourceId)} s left join ${lastMerge(sql)} m on true
      join versions v on v.prompt_id = s.id and v.n = coalesce(${n ?? null}::int, s.latest_version)
    where ${isOwnFork(sql, { callerId })}`;
  return row ?? null;
}

/** A change request to write. */
export interface NewRequest extends Proposal {
  authorId: string;
  title: string;
  body: Rendered;
  stats: DiffStats;
}

/** Writes a change request for a locked prompt, and gives its number; null if its source has an open one. */
export async function insertRequest(sql: Sql, request: NewRequest): Promise<number | null> {
  const { files, additions, deletions } = request.stats;
  const { text, html, renderer } = request.body;
  const [row] = await sql<{ n: number }[]>`
    insert into change_requests (target_id, n, source_id, source_n, base_n, base_source_n, author_id, title, body,
      body_html, body_renderer, files, additions, deletions)
    select ${request.targetId},
      coalesce((select max(n) from change_requests where target_id = ${request.targetId}), 0) + 1,
      ${request.sourceId}, ${request.sourceN}, ${request.baseN}, ${request.baseSourceN}, ${request.authorId},
      ${request.title}, ${text}, ${html}, ${renderer}, ${files}, ${additions}, ${deletions}
    on conflict (source_id) where state = 'open' do nothing
    returning n`;
  return row?.n ?? null;
}

/** How many change requests an account opened for a prompt in the last 24 hours. */
export async function countRecent(
  sql: Sql,
  { targetId, authorId }: { targetId: string; authorId: string },
): Promise<number> {
  const { count } = await one(sql<{ count: number }[]>`
    select count(*)::int as count from change_requests
    where target_id = ${targetId} and author_id = ${authorId} and created_at > clock() - interval '24 hours'`);
  return count;
}

/** The number of the open change request of a source; null if it has none. */
export async function selectOpen(sql: Sql, sourceId: string): Promise<number | null> {
  const [row] = await sql<{ n: number }[]>`
    select n from change_requests where source_id = ${sourceId} and state = 'open'`;
  return row?.n ?? null;
}

/** A change request as it is after an edit. */
export interface EditedRequest extends Proposal {
  title: string;
  /** Null: as it was. */
  body: Rendered | null;
  state: "open" | "closed";
  stats: DiffStats;
  /** Who closes it, if it is closed now. */
  callerId: string;
}

interface At {
  promptId: string;
  n: number;
}

/** Writes an edited change request; false if it would be the second open one of its source. */
export async function updateRequest(
  sql: Sql,
  { promptId, n }: At,
  { stats, body, ...after }: EditedRequest,
): Promise<boolean> {
  const text = body
    ? sql`body = ${body.text}, body_html = ${body.html}, body_renderer = ${body.renderer},`
    : sql``;
  const { count } = await sql`
    update change_requests c set title = ${after.title}, ${text} source_n = ${after.sourceN},
      base_n = ${after.baseN}, base_source_n = ${after.baseSourceN}, files = ${stats.files},
      additions = ${stats.additions}, deletions = ${stats.deletions}, state = ${after.state},
      closed_at = case when ${after.state === "closed"} then coalesce(closed_at, clock()) end,
      closed_by = case when ${after.state === "closed"} then coalesce(closed_by, ${after.callerId}) end,
      revision = revision + 1, updated_at = clock()
    where target_id = ${promptId} and n = ${n} and (${after.state} = 'closed' or not exists (
      select from change_requests other where other.source_id = c.source_id and other.state = 'open' and other.n <> c.n))`;
  return count === 1;
}

export const writeMerge = (
  sql: Sql,
  { promptId, n }: At,
  { mergedN, callerId }: { mergedN: number; callerId: string },
) => sql`
  update change_requests set state = 'merged', merged_at = clock(), merged_by = ${callerId}, merged_n = ${mergedN},
    revision = revision + 1, updated_at = clock()
  where target_id = ${promptId} and n = ${n}`;

/** Renders bodies that an older release wrote. */
export const renewHtml = renewing({ table: "change_requests", key: ["target_id", "n"], column: "body" });
