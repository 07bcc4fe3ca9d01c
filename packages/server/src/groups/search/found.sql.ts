import type { UserRef } from "@promptreg/core";
import { entryBytes, type FoundTexts } from "@promptreg/core/search";
import { object } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import type { MediaSite } from "../../kernel/media/printed.sql.ts";
import { accountRef, type Site } from "../../kernel/accounts/accounts.ts";
import { collectionSummary, isCollectionListed } from "../collections/index.ts";
import { isMakeListed, makeSummary } from "../makes/index.ts";
import { isPostListed, postSummary, withText } from "../posts/index.ts";
import { blobOfFile, isListed, promptSummary, searchQuery, type Viewing } from "../prompts/index.ts";

/** Something that was found, and the texts that may match by field. */
export interface FoundRow {
  id: string;
  entity: string;
  texts: FoundTexts;
}

/** The prompts of these ids that everybody can see. `offset 0` lets the planner find prompts by their ids, and owners one by one. */
export async function selectFoundPrompts(sql: Sql, viewing: Viewing, ids: string[]): Promise<FoundRow[]> {
  const rows = await sql<{ id: string; entity: string; title: string; summary: string; entry: Uint8Array }[]>`
    select p.id, ${promptSummary(sql, viewing)}::text as entity, p.title, p.summary, (
      select substring(b.content from 1 for ${entryBytes})
      from versions v join version_files f on f.version_id = v.id and f.path = v.entry
        cross join lateral ${blobOfFile(sql)} b
      where v.prompt_id = p.id and v.n = p.latest_version
    ) as entry
    from (select * from prompts where id = any (${ids}) offset 0) p
      cross join lateral (select * from users u where u.id = p.owner_id offset 0) o
    where ${isListed(sql)}`;
  return rows.map(({ id, entity, ...texts }) => ({ id, entity, texts }));
}

/** The makes of these ids that everybody can find. Of a body it reads as much as of a prompt's entry file. */
export async function selectFoundMakes(
  sql: Sql,
  viewing: Viewing & MediaSite,
  ids: string[],
): Promise<FoundRow[]> {
  const rows = await sql<
    { id: string; entity: string; title: string; summary: string | null; body: Uint8Array }[]
  >`
    select k.id, ${makeSummary(sql, viewing)}::text as entity, k.title, k.summary,
      substring(convert_to(k.body, 'UTF8') from 1 for ${entryBytes}) as body
    from (select * from makes where id = any (${ids}) offset 0) k where ${isMakeListed(sql)}`;
  return rows.map(({ id, entity, ...texts }) => ({ id, entity, texts }));
}

/** The same of posts. */
export async function selectFoundPosts(
  sql: Sql,
  viewing: Viewing & MediaSite,
  ids: string[],
): Promise<FoundRow[]> {
  const rows = await sql<
    { id: string; entity: string; title: string; summary: string | null; body: Uint8Array }[]
  >`
    select b.id, ${postSummary(sql, viewing)}::text as entity, r.title, r.summary,
      substring(convert_to(r.body, 'UTF8') from 1 for ${entryBytes}) as body
    from ${withText(sql, sql`(select * from posts where id = any (${ids}) offset 0)`)} where ${isPostListed(sql)}`;
  return rows.map(({ id, entity, ...texts }) => ({ id, entity, texts }));
}

/** The collections of these ids that everybody can find. */
export async function selectFoundCollections(sql: Sql, site: MediaSite, ids: string[]): Promise<FoundRow[]> {
  const rows = await sql<{ id: string; entity: string; title: string; description: string | null }[]>`
    select c.id, ${collectionSummary(sql, site)}::text as entity, c.title, c.description
    from (select * from collections where id = any (${ids}) offset 0) c where ${isCollectionListed(sql)}`;
  return rows.map(({ id, entity, title, description }) => ({
    id,
    entity,
    texts: { title, description },
  }));
}

const user = object<UserRef, Site>(accountRef);

/** The accounts of these ids that are not suspended. */
export async function selectFoundUsers(sql: Sql, site: Site, ids: string[]): Promise<FoundRow[]> {
  const rows = await sql<{ id: string; entity: string; handle: string; name: string; bio: string }[]>`
    select u.id, ${user(sql, site)}::text as entity, u.handle, u.name, u.bio
    from (select * from users where id = any (${ids}) offset 0) u where u.suspended_at is null`;
  return rows.map(({ id, entity, ...texts }) => ({ id, entity, texts }));
}

/** The stems that a query wants, without those that it excludes. */
export async function selectStems(sql: Sql, q: string): Promise<string[]> {
  const [row] = await sql<{ tree: string }[]>`select querytree(${searchQuery(sql, q)}) as tree`;
  return [...(row?.tree ?? "").matchAll(/'((?:[^']|'')+)'/g)].map(([, stem = ""]) => stem);
}

/** The words of a list that have one of the stems. */
export async function selectStemmed(sql: Sql, words: string[], stems: string[]): Promise<string[]> {
  const rows = await sql<{ word: string }[]>`
    select word from unnest(${words}::text[]) word where ts_lexize('english_stem', word) && ${stems}::text[]`;
  return rows.map(({ word }) => word);
}
