import { one } from "../../database/rows.ts";
import { type CreateMake, makeWords, type MakeStatus, type MakeVisibility } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import { type Rendered, renewing } from "../../kernel/markdown/rendered.ts";
import { selectFree } from "../../kernel/input/free-slug.sql.ts";
import { weighted } from "../prompts/index.ts";
import { isOwnMake, makeAt, type MakeRow, makeColumns } from "./target.ts";

/** What can be edited of a make, beside its body. */
export interface About {
  slug: string;
  title: string;
  summary: string | null;
  tags: string[];
  license: string | null;
  visibility: MakeVisibility;
  status: MakeStatus;
}

/** The words of a body that searches find, as those of a prompt's entry file. */
const mostFound = 65_536;

const documentOf = (sql: Sql, { title, tags, summary }: About, body: string): Fragment => sql`
  ${weighted(sql, title, "A")} || ${weighted(sql, tags.join(" "), "B")} || ${weighted(sql, summary ?? "", "C")}
    || ${weighted(sql, body.slice(0, mostFound), "D")}`;

/** How many makes an account has. Needs the account's lock. */
export async function countMakes(sql: Sql, ownerId: string): Promise<number> {
  const { count } = await one(sql<{ count: number }[]>`
    select count(*)::int as count from makes k where ${isOwnMake(sql, ownerId)} and k.deleted_at is null`);
  return count;
}

/** The slug itself, or the first of `-2`, `-3`… that no make ever had. If all are taken, one with letters drawn at random. */
export const selectFreeSlug = (sql: Sql, slug: string): Promise<string> =>
  selectFree(
    sql,
    slug,
    sql`candidate <> all (${[...makeWords]}::text[]) and (select s.slug from make_slugs s where s.slug = candidate) is null`,
  );

/** A make to write. */
export interface NewMake extends Pick<CreateMake, "title" | "summary" | "tags" | "license" | "visibility"> {
  ownerId: string;
  slug: string;
  body: Rendered;
  remixOfId?: string;
}

/** Writes a draft; null if a make has or had its slug, even a deleted one. */
export async function insertMake(
  sql: Sql,
  {
    ownerId,
    slug,
    title,
    summary = null,
    body,
    tags = [],
    license = null,
    visibility = "public",
    remixOfId,
  }: NewMake,
): Promise<MakeRow | null> {
  const about: About = { slug, title, summary, tags, license, visibility, status: "draft" };
  const { text, html, renderer } = body;
  const [row] = await sql<MakeRow[]>`
    with taken as (
      insert into make_slugs (slug, make_id) values (${slug}, new_id('mak')) on conflict do nothing returning make_id
    ), k as (
      insert into makes (id, owner_id, slug, title, summary, body, body_html, body_renderer, tags, license, visibility,
        remix_of_id, document)
      select make_id, ${ownerId}, ${slug}, ${title}, ${summary}, ${text ?? ""}, ${html}, ${renderer}, ${tags}, ${license},
        ${visibility}, ${remixOfId ?? null}, ${documentOf(sql, about, text ?? "")}
      from taken returning *
    )
    select ${makeColumns(sql)} from k join users mo on mo.id = k.owner_id`;
  return row ?? null;
}

/** Takes a slug for a make that had another; false if another make has or had it. */
export async function takeSlug(
  sql: Sql,
  { makeId, slug }: { makeId: string; slug: string },
): Promise<boolean> {
  const { count } = await sql`
    insert into make_slugs (slug, make_id) values (${slug}, ${makeId})
    on conflict (slug) do update set make_id = excluded.make_id where make_slugs.make_id = excluded.make_id`;
  return count > 0;
}

/** What a make says about itself, with its body. */
interface Written extends About {
  body: string;
  rendered: Pick<Rendered, "html" | "renderer">;
}

/** Reads that of a make. */
export async function selectAbout(sql: Sql, id: string): Promise<Written> {
  return one(sql<Written[]>`
    select slug, title, summary, tags, license, visibility, status, body,
      json_build_object('html', body_html, 'renderer', body_renderer) as rendered
    from makes where id = ${id}`);
}

/** Writes an edited make. `body`: null if it stays. */
export const updateMake = (
  sql: Sql,
  { id, about, body, text }: { id: string; about: About; body: Rendered | null; text: string },
) => sql`
  update makes set slug = ${about.slug}, title = ${about.title}, summary = ${about.summary}, tags = ${about.tags},
    license = ${about.license}, visibility = ${about.visibility}, status = ${about.status},
    published_at = case when ${about.status} = 'published' then coalesce(published_at, clock()) else published_at end,
    ${body ? sql`body = ${body.text}, body_html = ${body.html}, body_renderer = ${body.renderer},` : sql``}
    document = ${documentOf(sql, about, text)}, updated_at = clock(), revision = revision + 1
  where id = ${id}`;

/** Notes that something was changed that a make has. */
export const touchMake = (sql: Sql, id: string) => sql`
  update makes set updated_at = clock(), revision = revision + 1 where id = ${id}`;

export const deleteMake = (sql: Sql, id: string) => sql`
  update makes set deleted_at = clock(), revision = revision + 1 where id = ${id}`;

/** Takes media out of all that shows them in a make. */
export const hideMediaOf = (sql: Sql, makeId: string) => sql`
  delete from media_uses where subject_id = any (array(
    select id from make_files where make_id = ${makeId} union all select id from gallery_items where make_id = ${makeId}))`;

/** Copies the list of parts of a make into another, which has none. */
export const copyParts = (sql: Sql, { from, to }: { from: string; to: string }) => sql`
  insert into make_parts (make_id, name, quantity, unit, url, price, currency, note, optional, position)
  select ${to}, name, quantity, unit, url, price, currency, note, optional, position from make_parts where make_id = ${from}`;

/** Counts a public remix for the make that it began as. */
export const countRemix = (sql: Sql, { remixOfId }: Pick<MakeRow, "remixOfId">, delta: 1 | -1) => sql`
  insert into counter_changes (subject_id, name, delta)
  select ${remixOfId}, 'remixes', ${delta} where ${remixOfId}::text is not null`;

/** Whether there is something to see in the gallery of a make, now or once it is read. */
export async function hasGallery(sql: Sql, makeId: string): Promise<boolean> {
  const rows = await sql`select from gallery_items g left join media m on m.id = g.media_id
    where g.make_id = ${makeId} and (m.id is null or m.status <> 'rejected' and m.kind in ('image', 'video', 'model3d'))`;
  return rows.length > 0;
}

export const renewHtml = renewing({ table: "makes", key: ["id"], column: "body" });

/** Whether an account made what has or had a slug. */
export async function isMaker(
  sql: Sql,
  { slug, accountId }: { slug: string; accountId: string },
): Promise<boolean> {
  const rows = await sql`
    select from makes k where k.id = ${makeAt(sql, slug)} and ${isOwnMake(sql, accountId)} and k.deleted_at is null`;
  return rows.length > 0;
}
