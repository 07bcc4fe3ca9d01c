import { one } from "../../database/rows.ts";
import type { Comment, JsonText } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { type Rendered, renewing } from "../../kernel/markdown/rendered.ts";
import { commentColumns, type Reading } from "./columns.sql.ts";
import type { Discussion } from "./discussion.ts";

/** Prints a comment. */
export async function selectComment(
  sql: Sql,
  { id, ...reading }: { id: string } & Reading,
): Promise<JsonText<Comment>> {
  const [row] = await sql<{ comment: JsonText<Comment> }[]>`
    select row_to_json(comment)::text as comment
    from comments c cross join lateral (select ${commentColumns(sql, reading)}) comment where c.id = ${id}`;
  if (row === undefined) throw apiError("not_found");
  return row.comment;
}

/** What is written of a text. */
export interface Written {
  body: Rendered;
  mentions: readonly string[];
  isHeld: boolean;
}

/** A comment to write. */
export interface NewComment extends Written {
  id: string;
  promptId: string | null;
  key: string;
  parentId: string | null;
  replyTo: string | null;
  authorId: string;
}

export async function insertComment(sql: Sql, comment: NewComment): Promise<void> {
  const { text, html, renderer } = comment.body;
  await sql`
    insert into comments (id, prompt_id, target, parent_id, reply_to, author_id, body, body_html, body_renderer, body_hash,
      mentions, status, published_at)
    values (${comment.id}, ${comment.promptId}, ${comment.key}, ${comment.parentId}, ${comment.replyTo}, ${comment.authorId}, ${text}, ${html},
      ${renderer}, ${hashOf(sql, text)}, ${[...comment.mentions]},
      ${comment.isHeld ? "held" : "visible"}, ${comment.isHeld ? null : sql`clock()`})`;
}

const hashOf = (sql: Sql, text: string | null) => sql`sha256(convert_to(${text}::text, 'UTF8'))`;

/** Writes another text. */
export const updateComment = (sql: Sql, id: string, { body, mentions }: Written) => sql`
  update comments set body = ${body.text}, body_html = ${body.html}, body_renderer = ${body.renderer},
    body_hash = ${hashOf(sql, body.text)}, mentions = ${[...mentions]}, edited_at = clock(), revision = revision + 1
  where id = ${id}`;

/** Sets what a comment is now. The first time that it is visible it is published. */
export const updateStatus = (sql: Sql, id: string, status: Comment["status"]) => sql`
  update comments set status = ${status}, revision = revision + 1,
    published_at = case when ${status === "visible"} then coalesce(published_at, clock()) else published_at end
  where id = ${id}`;

/** Leaves nothing of a comment but that it was there. */
export const blankComment = (sql: Sql, id: string) => sql`
  update comments set body = null, body_html = null, mentions = '{}' where id = ${id}`;

/** Counts one reply more or less. */
export const countReply = (sql: Sql, parentId: string, delta: number) => sql`
  update comments set reply_count = reply_count + ${delta} where id = ${parentId}`;

/** The accounts of handles, in this order: `most` of those that exist. */
export async function selectMentioned(sql: Sql, handles: readonly string[], most: number): Promise<string[]> {
  if (handles.length === 0) return [];
  const rows = await sql<{ id: string }[]>`
    select u.id from unnest(${[...handles]}::text[]) with ordinality wanted (handle, nth)
      cross join lateral (select id from users where handle = wanted.handle and suspended_at is null offset 0) u
    order by wanted.nth limit ${most}`;
  return rows.map(({ id }) => id);
}

/** What is known of an author before a text is written. */
interface Habits {
  /** For a comment with that text. */
  newId: string;
  /** The account is younger than 24 hours. */
  isNew: boolean;
  /** It wrote the text in the last hour already. */
  isRepeated: boolean;
}

/** Needs the account's lock. */
export async function selectHabits(
  sql: Sql,
  { authorId, text }: { authorId: string; text: string | null },
): Promise<Habits> {
  return one(sql<Habits[]>`
    select new_id('cmt') as "newId", u.created_at > clock() - interval '24 hours' as "isNew", exists (
      select from comments where author_id = u.id and body_hash = ${hashOf(sql, text)}
        and created_at > clock() - interval '1 hour'
    ) as "isRepeated"
    from users u where u.id = ${authorId}`);
}

/** Locks a thread, or puts the lock of a moderator in the place of another. */
export const insertLock = (
  sql: Sql,
  { key, callerId, takesOver }: { key: string; callerId: string; takesOver: boolean },
) => sql`
  insert into comment_locks (target, locked_by) values (${key}, ${callerId})
  on conflict (target) do update set locked_by = excluded.locked_by, locked_at = excluded.locked_at where ${takesOver}`;

export const deleteLock = (sql: Sql, key: string) => sql`delete from comment_locks where target = ${key}`;

/** The authors of comments, without those that were deleted. */
export async function selectAuthors(sql: Sql, ids: readonly (string | null)[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select distinct author_id as id from comments where id = any (${[...ids]}) and status <> 'deleted'`;
  return rows.map(({ id }) => id);
}

/** The author of the change request that is discussed. */
export async function selectProposer(sql: Sql, { key, prompt }: Discussion): Promise<string[]> {
  if (prompt === null) return [];
  const rows = await sql<{ id: string }[]>`
    select author_id as id from change_requests
    where target_id = ${prompt.id} and n = ${Number(key.slice(prompt.id.length + 1))}`;
  return rows.map(({ id }) => id);
}

/** Renders bodies anew after a change of the renderer. */
export const renewHtml = renewing({ table: "comments", key: ["id"], column: "body" });
