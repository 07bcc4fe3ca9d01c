import { one } from "../../database/rows.ts";
import type { CreateCollection, UpdateCollection } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import { isOwnCollection } from "./target.ts";
import { weighted } from "../prompts/index.ts";

/** The fields of a collection that can be edited. */
export type About = Required<UpdateCollection>;

/** The words by which searches find a collection. */
const documentOf = (sql: Sql, { title, description }: Pick<About, "title" | "description">): Fragment =>
  sql`${weighted(sql, title, "A")} || ${weighted(sql, description ?? "", "C")}`;

/** How many collections an account has. Needs the account's lock. */
export async function countCollections(sql: Sql, ownerId: string): Promise<number> {
  const { count } = await one(sql<{ count: number }[]>`
    select count(*)::int as count from collections c where ${isOwnCollection(sql, ownerId)} and c.deleted_at is null`);
  return count;
}

/** Writes a collection and gives its id. */
export async function insertCollection(
  sql: Sql,
  ownerId: string,
  { title, description = null, visibility = "public" }: CreateCollection,
): Promise<string> {
  const { id } = await one(sql<{ id: string }[]>`
    insert into collections (owner_id, title, description, visibility, document)
    values (${ownerId}, ${title}, ${description}, ${visibility}, ${documentOf(sql, { title, description })})
    returning id`);
  return id;
}

export const updateCollection = (sql: Sql, id: string, about: About) => sql`
  update collections set title = ${about.title}, description = ${about.description}, visibility = ${about.visibility},
    cover_media_id = ${about.coverMediaId}, document = ${documentOf(sql, about)}, updated_at = clock(), revision = revision + 1
  where id = ${id}`;

export const deleteCollection = (sql: Sql, id: string) => sql`
  update collections set deleted_at = clock(), revision = revision + 1 where id = ${id}`;
