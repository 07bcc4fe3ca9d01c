import { one } from "../../database/rows.ts";
import type { UpdatePrompt } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";

/** The fields of a prompt that can be edited. */
export type Metadata = Required<UpdatePrompt>;

export async function selectMetadata(sql: Sql, promptId: string): Promise<Metadata> {
  return one(sql<Metadata[]>`
    select title, summary, tags, license, visibility, rating, slug from prompts where id = ${promptId}`);
}

export const updateMetadata = (sql: Sql, promptId: string, said: Metadata) => sql`
  update prompts set title = ${said.title}, summary = ${said.summary}, tags = ${said.tags}, license = ${said.license},
    visibility = ${said.visibility}, rating = ${said.rating}, slug = ${said.slug}, revision = revision + 1,
    updated_at = clock()
  where id = ${promptId}`;

/** Whether another prompt of the account has or had a slug that this one does not have, even a deleted one. Needs the account's lock. */
export async function isSlugTaken(
  sql: Sql,
  { ownerId, slug, promptId }: { ownerId: string; slug: string; promptId: string },
): Promise<boolean> {
  const { isTaken } = await one(sql<{ isTaken: boolean }[]>`
    select exists (select from prompts where owner_id = ${ownerId} and slug = ${slug})
      or exists (select from former_slugs where owner_id = ${ownerId} and slug = ${slug} and prompt_id <> ${promptId})
      as "isTaken"`);
  return isTaken;
}

/** Records the former slug of a prompt. If the new slug is a former one of this prompt, it is no longer a former one. */
export const keepSlug = (
  sql: Sql,
  { ownerId, promptId, from, to }: { ownerId: string; promptId: string; from: string; to: string },
) => sql`
  with returned as (delete from former_slugs where owner_id = ${ownerId} and slug = ${to})
  insert into former_slugs (owner_id, slug, prompt_id) values (${ownerId}, ${from}, ${promptId})`;
