import { one } from "../../database/rows.ts";
import type { AutosavePost, PostRevision, PostStatus, ReviewDecision } from "@promptreg/core";
import { limits } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import { type Rendered, renewing } from "../../kernel/markdown/rendered.ts";
import { selectFree } from "../../kernel/input/free-slug.sql.ts";
import { weighted } from "../prompts/index.ts";
import { isOwnPost, type PostRow } from "./target.ts";

/** A text of a post. */
export interface PostText {
  title: string;
  summary: string | null;
  body: Rendered;
  words: number;
}

/** How many posts an account has. Needs the account's lock. */
export async function countPosts(sql: Sql, ownerId: string): Promise<number> {
  const { count } = await one(sql<{ count: number }[]>`
    select count(*)::int as count from posts b where ${isOwnPost(sql, ownerId)} and b.deleted_at is null`);
  return count;
}

/**
 * The slug itself, or the first of `-2`, `-3`… that the account has not used for another. If all are taken, one with letters drawn at
 * random. Needs the account's lock.
 */
export const selectFreeSlug = (
  sql: Sql,
  { table, ownerId, slug }: { table: "posts" | "post_series"; ownerId: string; slug: string },
): Promise<string> =>
  selectFree(
    sql,
    slug,
    sql`(select o.slug from ${sql(table)} o where o.owner_id = ${ownerId} and o.slug = candidate ${table === "posts" ? sql`` : sql`and o.deleted_at is null`}) is null`,
  );

/** Writes a draft with its first revision, and gives its id; null if its author has another with its slug. */
export async function insertPost(
  sql: Sql,
  {
    ownerId,
    slug,
    tags,
    text: { title, summary, body, words },
  }: { ownerId: string; slug: string; tags: string[]; text: PostText },
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    with b as (
      insert into posts (owner_id, slug, working_id, tags)
      values (${ownerId}, ${slug}, new_id('rev'), ${tags}) on conflict (owner_id, slug) do nothing returning *
    ), r as (
      insert into post_revisions (id, post_id, number, kind, author_id, title, summary, body, body_html, body_renderer, words)
      select b.working_id, b.id, 1, 'save', b.owner_id, ${title}, ${summary}, ${body.text ?? ""}, ${body.html}, ${body.renderer}, ${words}
      from b
    )
    select id from b`;
  return row?.id ?? null;
}

/** A revision with its text, as the code needs it. */
export interface RevisionRow extends Required<AutosavePost> {
  id: string;
  kind: PostRevision["kind"];
  html: string | null;
  renderer: number;
  words: number;
  /** Whether a save may still be added to it. */
  isYoung: boolean;
}

/** A revision of a post; null if there is none. */
export async function selectRevision(
  sql: Sql,
  { postId, id }: { postId: string; id: string },
): Promise<RevisionRow | null> {
  const [row] = await sql<RevisionRow[]>`
    select id, kind, title, summary, body, body_html as html, body_renderer as renderer, words,
      created_at > clock() - interval '10 minutes' as "isYoung"
    from post_revisions where id = ${id} and post_id = ${postId}`;
  return row ?? null;
}

/** Writes a text as the next revision of a post, which is what is being written from now on; old ones go. */
export async function addRevision(
  sql: Sql,
  { postId, kind, text }: { postId: string; kind: PostRevision["kind"]; text: PostText },
): Promise<void> {
  const { title, summary, body, words } = text;
  await sql`
    with r as (
      insert into post_revisions (post_id, number, kind, author_id, title, summary, body, body_html, body_renderer, words)
      select b.id, 1 + (select max(number) from post_revisions where post_id = b.id), ${kind}, b.owner_id, ${title}, ${summary},
        ${body.text ?? ""}, ${body.html}, ${body.renderer}, ${words}
      from posts b where b.id = ${postId} returning id
    )
    update posts b set working_id = r.id, revision = b.revision + 1,
      updated_at = case when b.public_id is null then clock() else b.updated_at end
    from r where b.id = ${postId}`;
  await sql`
    delete from post_revisions
    where post_id = ${postId} and kind <> 'publish'
      and number <= (select max(number) from post_revisions where post_id = ${postId}) - ${limits.revisionsPerPost}`;
}

/** Makes the text that everybody reads the one that is being written. */
export const discardWorking = async (sql: Sql, id: string): Promise<void> => {
  await sql`update posts set working_id = public_id, revision = revision + 1 where id = ${id}`;
};

/** Puts a text in place of the one that is being written. */
export const replaceWorking = (sql: Sql, { id, text }: { id: string; text: PostText }) => sql`
  with r as (
    update post_revisions r set title = ${text.title}, summary = ${text.summary}, body = ${text.body.text ?? ""},
      body_html = ${text.body.html}, body_renderer = ${text.body.renderer}, words = ${text.words}, saved_at = clock()
    from posts b where b.id = ${id} and r.id = b.working_id returning r.id
  )
  update posts b set revision = b.revision + 1, updated_at = case when b.public_id is null then clock() else b.updated_at end
  where b.id = ${id}`;

/** What is said of a post beside its text. */
export type About = Pick<PostRow, "slug" | "tags" | "coverMediaId" | "seriesId">;

/** Writes that; false if its author has another post with its slug. */
export async function updateAbout(
  sql: Sql,
  id: string,
  { slug, tags, coverMediaId, seriesId }: About,
): Promise<boolean> {
  const rows = await sql`
    update posts b set slug = ${slug}, tags = ${tags}, cover_media_id = ${coverMediaId}, series_id = ${seriesId},
      updated_at = clock(), revision = b.revision + 1
    where b.id = ${id} and (select o.id from posts o where o.owner_id = b.owner_id and o.slug = ${slug} and o.id <> ${id}) is null
    returning id`;
  return rows.length > 0;
}

/** Where a post goes from its state, and what is said with it. */
export interface Move {
  status: PostStatus;
  /** `working`: what is being written is published. `none`: nothing is any more. Else what is public stays. */
  publish?: "working" | "none";
  submission?: { note: string | null };
  decision?: { decision: ReviewDecision; reason: string | null; by: string };
}

/** Moves a post to another state. What everybody finds is written anew. */
export async function movePost(
  sql: Sql,
  id: string,
  { status, publish, submission, decision }: Move,
): Promise<void> {
  const isPublic = { working: sql`working_id`, none: sql`null`, stays: sql`public_id` };
  await sql`
    update posts set status = ${status}, public_id = ${isPublic[publish ?? "stays"]},
      submitted_at = ${submission ? sql`clock()` : null}, submission_note = ${submission?.note ?? null},
      ${decision ? sql`decision = ${decision.decision}, decision_reason = ${decision.reason}, decided_by = ${decision.by}, decided_at = clock(),` : sql``}
      published_at = ${publish === "working" ? sql`coalesce(published_at, clock())` : sql`published_at`},
      updated_at = ${publish ? sql`clock()` : sql`updated_at`}, revision = revision + 1
    where id = ${id}`;
  const kind = publish === "working" ? "publish" : submission ? "submit" : null;
  if (kind !== null)
    await sql`
      update post_revisions r set kind = ${kind} from posts b
      where b.id = ${id} and r.id = b.working_id and r.kind <> 'publish'`;
  if (publish) await writeDocument(sql, id);
}

/** The words of a body that searches find, as those of a make. */
const mostFound = 65_536;

/** Writes the words by which searches find a post. */
export async function writeDocument(sql: Sql, id: string): Promise<void> {
  const [row] = await sql<{ title: string; summary: string | null; body: string; tags: string[] }[]>`
    select r.title, r.summary, left(r.body, ${mostFound}) as body, b.tags
    from posts b join post_revisions r on r.id = b.public_id where b.id = ${id}`;
  const document: Fragment = row
    ? sql`${weighted(sql, row.title, "A")} || ${weighted(sql, row.tags.join(" "), "B")}
        || ${weighted(sql, row.summary ?? "", "C")} || ${weighted(sql, row.body, "D")}`
    : sql`''`;
  await sql`update posts set document = ${document} where id = ${id}`;
}

/** Deletes a post. Of its texts those stay that it was made of last. */
export async function deletePost(sql: Sql, id: string): Promise<void> {
  await sql`
    update posts set deleted_at = clock(), series_id = null, revision = revision + 1 where id = ${id}`;
  await sql`
    delete from post_revisions r using posts b
    where b.id = ${id} and r.post_id = b.id and r.id <> b.working_id and r.id is distinct from b.public_id`;
}

export const renewHtml = renewing({
  table: "post_revisions",
  key: ["id"],
  column: "body",
  kind: "article",
});
