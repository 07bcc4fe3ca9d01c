import { one } from "../../database/rows.ts";
import type { CreatePrompt } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import { type PromptRow, promptColumns } from "./target.ts";

export async function countPrompts(sql: Sql, ownerId: string): Promise<number> {
  const { count } = await one(sql<{ count: number }[]>`
    select count(*)::int as count from prompts where owner_id = ${ownerId} and deleted_at is null`);
  return count;
}

/** A prompt to write. */
export interface NewPrompt {
  ownerId: string;
  slug: string;
  prompt: Omit<CreatePrompt, "files">;
  /** The version that it is a fork of. */
  source?: { id: string; n: number };
}

/** Writes a prompt without a version; null if another prompt of the owner has or had the slug, even a deleted one. */
export async function insertPrompt(
  sql: Sql,
  { ownerId, slug, prompt, source }: NewPrompt,
): Promise<PromptRow | null> {
  const [row] = await sql<PromptRow[]>`
    with p as (
      insert into prompts (owner_id, slug, kind, title, summary, tags, license, visibility, rating, status,
        forked_from_id, forked_from_n)
      select ${ownerId}, ${slug}, ${prompt.kind}, ${prompt.title}, ${prompt.summary ?? null}, ${prompt.tags ?? []},
        ${prompt.license ?? null}, ${prompt.visibility ?? "private"}, ${prompt.rating ?? "general"}, 'draft',
        ${source?.id ?? null}, ${source?.n ?? null}
      where not exists (select from former_slugs where owner_id = ${ownerId} and slug = ${slug})
      on conflict (owner_id, slug) do nothing
      returning *
    )
    select ${promptColumns(sql)} from p join users o on o.id = p.owner_id`;
  return row ?? null;
}
