import { one } from "../../database/rows.ts";
import type {
  GalleryItem,
  JsonText,
  Make,
  MakeCounts,
  MakeFile,
  MakeLink,
  MakeSummary,
  Part,
} from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { columns, type Fields, object, type Piece, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { userRef } from "../../kernel/accounts/accounts.ts";
import { isOwn, ownedBy } from "../../kernel/accounts/ownership.ts";
import { countOf, countsOf } from "../../kernel/changes/counters.ts";
import { htmlOf } from "../../kernel/markdown/rendered.ts";
import { mediaOf, type MediaSite } from "../../kernel/media/printed.sql.ts";
import { isDecent, isListed, isVisibleTo, promptById, type Viewing } from "../prompts/index.ts";
import { isMakeForAll, isOwnMake } from "./target.ts";

/** Who looks at a make, and where addresses begin. */
export interface Looking extends Viewing, MediaSite {}

const isMakers = ownedBy<Looking>((_, { caller }) => caller?.id ?? null, "k");

/** The JSON of `gallery_items g` of `makes k`. */
export const galleryItem = object<GalleryItem, Looking>({
  id: "g.id",
  // What seemed a video may have a sound alone. Its maker sees it, to remove it.
  type: "coalesce((select case kind when 'audio' then 'video' else kind end from media where id = g.media_id), 'embed')",
  media: mediaOf<Looking>("g.media_id", isMakeForAll),
  embed: "g.embed",
  caption: "g.caption",
  alt: "g.alt",
  cover: "g.id = k.cover_item_id",
  position: "g.position",
});
/** Whether `gallery_items g` has something to show: to others than the maker, media only when they are ready. */
const hasContent = piece<Looking>`(
  g.media_id is null or ${isMakers} or exists (
    select from media where id = g.media_id and kind in ('image', 'video', 'model3d') and status = 'ready'
  ))`;

/** The JSON of `make_files f` joined with `media m`. */
export const makeFile = object<MakeFile>({
  id: "f.id",
  label: "f.label",
  description: "f.description",
  filename: "coalesce(m.filename, f.id)",
  size: "m.size",
  mediaType: "m.media_type",
  sha256: "m.sha256",
  downloads: countOf("f.id", "downloads"),
  position: "f.position",
});

/** The JSON of `make_parts a`. */
export const part = object<Part>({
  id: "a.id",
  name: "a.name",
  quantity: "a.quantity",
  unit: "a.unit",
  url: "a.url",
  price:
    "case when a.price is not null then json_build_object('amount', a.price, 'currency', a.currency) end",
  note: "a.note",
  optional: "a.optional",
  position: "a.position",
});

/** The JSON of `make_links l` joined with `prompts p` and `users o`. */
export const makeLink = object<MakeLink, Looking>({
  id: "l.id",
  prompt: { ref: "o.handle || '/' || p.slug", title: "p.title" },
  versionNumber: "l.version_n",
  status: "l.status",
  reason: "l.reason",
  pinned: "l.pinned_at is not null",
  note: "l.note",
  decidedBy: userRef("l.decided_by"),
  decidedAt: "iso(l.decided_at)",
});

const forAnyone: Fields<Omit<MakeSummary, "viewer">, Looking> = {
  id: "k.id",
  slug: "k.slug",
  url: piece<Looking>`${(_, { publicUrl }) => publicUrl} || '/makes/' || k.slug`,
  title: "k.title",
  summary: "k.summary",
  maker: userRef("k.owner_id"),
  status: "k.status",
  visibility: "k.visibility",
  tags: "k.tags",
  license: "k.license",
  cover: piece<Looking>`(
    select ${galleryItem} from gallery_items g where g.id = k.cover_item_id and ${hasContent})`,
  remixOf: piece<Looking>`(
    select json_build_object('slug', s.slug) from makes s
    where s.id = k.remix_of_id and s.deleted_at is null
      and (s.status = 'published' and s.visibility = 'public'
        or ${ownedBy<Looking>((_, { caller }) => caller?.id ?? null, "s")} or s.status = 'published' and ${isMakers}))`,
  counts: countsOf<MakeCounts>("k.id", { stars: true, comments: true, remixes: true, downloads: true }),
  createdAt: "iso(k.created_at)",
  updatedAt: "iso(k.updated_at)",
  publishedAt: "iso(k.published_at)",
};
const forCaller: Fields<MakeSummary, Looking> = {
  ...forAnyone,
  viewer: {
    isMaker: isMakers,
    starred: piece<Looking>`exists (
      select from make_stars s where s.make_id = k.id and s.user_id = ${(_, { caller }) => caller?.id ?? null})`,
    canEdit: piece<Looking>`${isMakers} or ${(_, { caller }) => caller?.role === "admin"}`,
  },
};

const printed = (fields: Piece<Looking>) => piece<Looking>`
  (select row_to_json(printed) from (select ${fields}) printed)`;
const summaryFor = {
  anyone: printed(columns<MakeSummary, Looking>(forAnyone)),
  caller: printed(columns<MakeSummary, Looking>(forCaller)),
};
/** The JSON of `makes k` as lists show it. */
export const makeSummary = (sql: Sql, looking: Looking): Fragment =>
  summaryFor[looking.caller ? "caller" : "anyone"](sql, looking);

const items: Pick<Fields<Make, Looking>, "media" | "files" | "parts"> = {
  media: piece<Looking>`(
    select coalesce(json_agg(${galleryItem} order by g.position), '[]')
    from gallery_items g where g.make_id = k.id and ${hasContent})`,
  files: piece<Looking>`(
    select coalesce(json_agg(${makeFile} order by f.position), '[]')
    from make_files f join media m on m.id = f.media_id where f.make_id = k.id)`,
  parts: piece<Looking>`(
    select coalesce(json_agg(${part} order by a.position), '[]') from make_parts a where a.make_id = k.id)`,
};

const texts = { body: "k.body", html: htmlOf("k.body") };

/**
 * Whether a viewer is shown `make_links l` of `makes k` to `prompts p`. The maker is shown all whose prompt the maker sees; the owner of a
 * prompt, all to it; others those that are approved, and not the address of a prompt that they would not find.
 */
export const isLinkShown = (sql: Sql, { caller }: Looking): Fragment => {
  if (caller === null)
    return sql`l.removed_at is null and l.status = 'approved' and ${isListed(sql)} and ${isDecent(sql, null)}`;
  const isModerator = caller.role !== "user";
  return sql`l.removed_at is null and (
    ${isOwnMake(sql, caller.id)} and ${isVisibleTo(sql, caller)} or p.deleted_at is null and ${isOwn(sql, caller.id)}
    or ${isListed(sql)} and ${isDecent(sql, caller)} and (l.status = 'approved' or ${isModerator}))`;
};

/** The links of `makes k` that somebody is shown. */
const links = (sql: Sql, looking: Looking): Fragment => sql`(
  select coalesce(json_agg(${makeLink(sql, looking)} order by l.seq), '[]')
  from (select * from make_links where make_id = k.id offset 0) l
    cross join lateral ${promptById(sql, sql`l.prompt_id`)} p join users o on o.id = p.owner_id
  where ${isLinkShown(sql, looking)})`;

const make = {
  anyone: columns<Make, Looking>({ ...forAnyone, ...texts, links, ...items }),
  caller: columns<Make, Looking>({ ...forCaller, ...texts, links, ...items }),
};

/** A whole make as somebody sees it, and the revision that it has so. */
export async function selectMake(
  sql: Sql,
  { id, ...looking }: { id: string } & Looking,
): Promise<{ json: JsonText<Make>; revision: string }> {
  const [row] = await sql<{ json: JsonText<Make>; revision: string }[]>`
    select k.revision::text, (
      select row_to_json(make)::text from (select ${make[looking.caller ? "caller" : "anyone"](sql, looking)}) make
    ) as json
    from makes k where k.id = ${id} and k.deleted_at is null`;
  // A read has no lock: it may have been deleted since it was found.
  if (row === undefined) throw apiError("gone");
  return row;
}

/** A link as somebody sees it. */
export async function selectLink(
  sql: Sql,
  { id, ...looking }: { id: string } & Looking,
): Promise<JsonText<MakeLink>> {
  const { link } = await one(sql<{ link: JsonText<MakeLink> }[]>`
    select ${makeLink(sql, looking)}::text as link
    from make_links l join prompts p on p.id = l.prompt_id join users o on o.id = p.owner_id where l.id = ${id}`);
  return link;
}
