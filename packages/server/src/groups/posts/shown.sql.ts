import type {
  Autosaved,
  JsonText,
  Post,
  PostSummary,
  Series,
  SeriesSummary,
  WorkingCopy,
} from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { columns, type Fields, object, type Piece, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { userRef } from "../../kernel/accounts/accounts.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { ownedBy } from "../../kernel/accounts/ownership.ts";
import { countOf, countsOf } from "../../kernel/changes/counters.ts";
import { htmlOf } from "../../kernel/markdown/rendered.ts";
import { mediaOf, type MediaSite } from "../../kernel/media/printed.sql.ts";
import { isOwnSeries } from "./series-target.ts";
import { isPostListed, postById } from "./target.ts";

/** Who looks at a post, and where addresses begin. */
export interface Looking extends MediaSite {
  caller: Pick<Caller, "id" | "role"> | null;
}

const viewerId = (_: Sql, { caller }: Looking) => caller?.id ?? null;
const isAuthors = ownedBy<Looking>(viewerId, "b");
/** Whether the viewer is shown what is not published of `posts b`: its author, and moderators while it is in review. */
const seesWork = piece<Looking>`coalesce(${isAuthors}
  or b.status = 'in_review' and ${(_, { caller }) => caller !== null && caller.role !== "user"}, false)`;

/** Whether the viewer sees `posts o` in a series. */
const isSeenIn = piece<Looking>`(o.public_id is not null or ${ownedBy<Looking>(viewerId, "o")}) and o.deleted_at is null`;

const forAnyone: Fields<Omit<PostSummary, "viewer">, Looking> = {
  id: "b.id",
  slug: "b.slug",
  url: piece<Looking>`${(_, { publicUrl }) => publicUrl} || '/posts/' || b.id`,
  title: "r.title",
  summary: "r.summary",
  author: userRef("b.owner_id"),
  tags: "b.tags",
  cover: mediaOf<Looking>("b.cover_media_id", isPostListed),
  series: `(
    select json_build_object('id', s.id, 'title', s.title) from post_series s where s.id = b.series_id and s.deleted_at is null)`,
  status: piece<Looking>`case when ${seesWork} then b.status else 'published' end`,
  hasUnpublishedChanges: piece<Looking>`${seesWork} and b.public_id is distinct from b.working_id`,
  readingMinutes: "greatest(1, ceil(r.words / 200.0))::int",
  votes: countsOf<PostSummary["votes"]>("b.id", { up: true, down: true }),
  commentCount: countOf("b.id", "comments"),
  createdAt: "iso(b.created_at)",
  updatedAt: "iso(b.updated_at)",
  publishedAt: "iso(b.published_at)",
};
const forCaller: Fields<PostSummary, Looking> = {
  ...forAnyone,
  viewer: {
    isAuthor: isAuthors,
    canEdit: isAuthors,
    vote: piece<Looking>`(select value from votes where target_id = b.id and user_id = ${viewerId})`,
  },
};

/** `posts b` with the text `r` that it shows, the public one or the draft, as the source of a statement. */
export const withText = (sql: Sql, found: Fragment): Fragment => sql`
  ${found} b cross join lateral (select * from post_revisions where id = coalesce(b.public_id, b.working_id) offset 0) r`;

const printed = (fields: Piece<Looking>) => piece<Looking>`
  (select row_to_json(printed) from (select ${fields}) printed)`;
const summaryFor = {
  anyone: printed(columns<PostSummary, Looking>(forAnyone)),
  caller: printed(columns<PostSummary, Looking>(forCaller)),
};
/** The JSON of `posts b` and its text `r`, as lists show it. */
export const postSummary = (sql: Sql, looking: Looking): Fragment =>
  summaryFor[looking.caller ? "caller" : "anyone"](sql, looking);

/** The JSON of a working copy `w`. */
export const workingCopy = object<WorkingCopy>({
  title: "w.title",
  body: "w.body",
  summary: "w.summary",
  savedAt: "iso(w.saved_at)",
});

/** What was saved of a post, and what names it for the next save. */
export async function selectAutosaved(sql: Sql, id: string): Promise<JsonText<Autosaved>> {
  const [row] = await sql<{ json: JsonText<Autosaved> }[]>`
    select json_build_object('workingCopy', ${workingCopy(sql)}, 'etag', '"' || b.revision || '"', 'savedAt', iso(w.saved_at))::text as json
    from posts b join post_revisions w on w.id = b.working_id where b.id = ${id}`;
  return row?.json as JsonText<Autosaved>;
}

const more = {
  // Counted for one post only: a series has two hundred.
  series: piece<Looking>`(
    select json_build_object('id', s.id, 'title', s.title, 'position', (
      select count(*) from unnest(s.post_ids[:array_position(s.post_ids, b.id)]) part (id)
        cross join lateral (select * from posts where id = part.id offset 0) o
      where o.series_id = s.id and ${isSeenIn}
    )) from post_series s where s.id = b.series_id and s.deleted_at is null)`,
  body: "r.body",
  html: piece<Looking>`with_pictures(${htmlOf("r.body")}, ${(_, { mediaUrl }) => mediaUrl}, b.owner_id,
    b.public_id is not null and not ${(_, { isForMembers }) => isForMembers}::boolean)`,
  workingCopy: piece<Looking>`(
    select ${workingCopy} from post_revisions w where w.id = b.working_id and w.id <> r.id and ${seesWork})`,
  review: piece<Looking>`case when b.decision is not null and ${seesWork} then
    json_build_object('decision', b.decision, 'reason', b.decision_reason, 'at', iso(b.decided_at)) end`,
  submission: piece<Looking>`case when b.submitted_at is not null and ${seesWork} then
    json_build_object('revisionId', b.working_id, 'note', b.submission_note, 'at', iso(b.submitted_at)) end`,
};
const post = {
  anyone: columns<Post, Looking>({ ...forAnyone, ...more }),
  caller: columns<Post, Looking>({ ...forCaller, ...more }),
};

/** A post as somebody sees it, and the revision that `If-Match` compares. */
export interface ShownPost {
  json: JsonText<Post>;
  revision: string;
}

/**
 * A whole post as somebody sees it; null for who sees nothing of it. To readers it has a revision that stays: what its author writes, and
 * does not publish, must not cost them what they have stored.
 */
export async function findPost(
  sql: Sql,
  { id, ...looking }: { id: string } & Looking,
): Promise<ShownPost | null> {
  const isModerator = looking.caller !== null && looking.caller.role !== "user";
  const [row] = await sql<ShownPost[]>`
    select case when ${isModerator} or ${seesWork(sql, looking)} then b.revision::text else '0' end as revision, (
      select row_to_json(post)::text from (select ${post[looking.caller ? "caller" : "anyone"](sql, looking)}) post
    ) as json
    from ${withText(sql, postById(sql, sql`${id}`))}
    where b.deleted_at is null and (b.public_id is not null or ${seesWork(sql, looking)})`;
  return row ?? null;
}

/** The same. @throws {ApiError} `not_found`: a read has no lock, and what it is about may be hidden since it was found. */
export async function selectPost(sql: Sql, wanted: { id: string } & Looking): Promise<ShownPost> {
  const found = await findPost(sql, wanted);
  if (found === null) throw apiError("not_found");
  return found;
}

/** The posts of `post_series s` that the viewer sees, in their order, with their texts, as the source of a statement. */
const parts = (sql: Sql, looking: Looking): Fragment => sql`
  unnest(s.post_ids) with ordinality part (id, nth) cross join lateral (
    select * from (select * from posts where id = part.id offset 0) o where o.series_id = s.id and ${isSeenIn(sql, looking)}
  ) b`;

const seriesFields: Fields<SeriesSummary, Looking> = {
  id: "s.id",
  slug: "s.slug",
  title: "s.title",
  description: "s.description",
  owner: userRef("s.owner_id"),
  postCount: piece<Looking>`(
    select count(*) from (select * from posts where series_id = s.id offset 0) o where ${isSeenIn})`,
  createdAt: "iso(s.created_at)",
  updatedAt: "iso(s.updated_at)",
};
/** The JSON of `post_series s` as lists show it. */
export const seriesSummary = object<SeriesSummary, Looking>(seriesFields);

const series = object<Series, Looking>({
  ...seriesFields,
  posts: (sql: Sql, looking: Looking) => sql`(
    select coalesce(json_agg(${postSummary(sql, looking)} order by b.nth), '[]')
    from ${withText(sql, sql`(select b.*, part.nth from ${parts(sql, looking)})`)})`,
});

/** A series with its posts as somebody sees it; null if there is none. */
export async function selectSeries(
  sql: Sql,
  { id, ...looking }: { id: string } & Looking,
): Promise<{ json: JsonText<Series>; revision: string } | null> {
  const [row] = await sql<{ json: JsonText<Series>; revision: string }[]>`
    select case when ${isOwnSeries(sql, looking.caller?.id ?? null)} or ${looking.caller !== null && looking.caller.role !== "user"}
      then s.revision::text else '0' end as revision, ${series(sql, looking)}::text as json
    from post_series s where s.id = ${id} and s.deleted_at is null`;
  return row ?? null;
}
