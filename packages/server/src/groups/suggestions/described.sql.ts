import type { FileInput, PromptKind } from "@promptreg/core";
import type { TagCounts } from "@promptreg/core/suggestions";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Sql } from "../../database/sql.ts";
import { isOwn } from "../../kernel/accounts/ownership.ts";
import { promptById, promptsAt } from "../prompts/index.ts";

/** A prompt of the caller's, as far as suggestions are about it. */
export interface OwnPrompt {
  id: string;
  slug: string;
  kind: PromptKind;
  latestVersion: number | null;
  /** Null if there is none. */
  draft: FileInput[] | null;
}

/** The prompt at an address, if it is the caller's: what others have is sent to nobody. */
export async function selectOwn(
  sql: Sql,
  address: Pick<PromptAddress, "owner" | "slug">,
  callerId: string,
): Promise<OwnPrompt | null> {
  const [row] = await sql<OwnPrompt[]>`
    select p.id, p.slug, p.kind, p.latest_version as "latestVersion",
      (select d.files from drafts d where d.prompt_id = p.id) as draft
    from ${promptById(sql, sql`(select there.id from ${promptsAt(sql, address)} there limit 1)`)} p
    where ${isOwn(sql, callerId)} and p.deleted_at is null`;
  return row ?? null;
}

/** How often public prompts have each of these tags, of those that any has. */
export async function selectTagCounts(sql: Sql, names: readonly string[]): Promise<TagCounts> {
  const rows = await sql<{ name: string; count: number }[]>`
    select t.name, t.prompt_count::int as count
    from unnest(${[...names]}::text[]) asked (name) cross join lateral (
      select * from tags where tags.name = asked.name offset 0
    ) t where t.prompt_count > 0`;
  return new Map(rows.map(({ name, count }) => [name, count]));
}
