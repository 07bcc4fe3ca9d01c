import { type JsonText, limits, type Make } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { lockAccount } from "../../kernel/accounts/accounts.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { lookingOf } from "../../kernel/media/looking.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { slugOf } from "../prompts/index.ts";
import { countMakes, insertMake, type NewMake, selectFreeSlug } from "./makes.sql.ts";
import { selectMake } from "./shown.sql.ts";
import type { MakeRow } from "./target.ts";

/** How often a slug is looked for: each time only one of those who do so at once gets it. */
const mostTries = 10;

/**
 * Writes a draft for a caller. Without a slug it gets the first free one of its title.
 * @throws {ApiError} `quota_exceeded`, `slug_taken` or `validation_failed`.
 */
export async function createMake(
  sql: Sql,
  caller: Caller,
  { slug, ...make }: Omit<NewMake, "ownerId" | "slug"> & { slug: string | undefined },
): Promise<MakeRow> {
  await lockAccount(sql, caller.id);
  if ((await countMakes(sql, caller.id)) >= limits.makesPerAccount) {
    throw apiError("quota_exceeded", {
      message: `You can have ${limits.makesPerAccount} makes. Delete one first.`,
    });
  }
  for (let left = mostTries; ; left--) {
    const free = slug ?? (await selectFreeSlug(sql, slugOf(make.title)));
    const made = await insertMake(sql, { ...make, ownerId: caller.id, slug: free });
    if (made !== null) return made;
    // Somebody took a free one meanwhile, and this waited for that.
    if (slug !== undefined || left === 1) throw slugTaken(free);
  }
}

export const slugTaken = (slug: string) =>
  apiError("slug_taken", {
    message: `A make has or had the slug ${slug}. All makes share their slugs: choose another.`,
  });

/** A make as somebody sees it. */
export const showMake = async (
  sql: Sql,
  { id, caller, server }: { id: string; caller: Caller | null; server: ServerContext },
): Promise<JsonText<Make>> => (await selectMake(sql, { id, ...lookingOf(caller, server) })).json;

/** The reply about a new make. */
export const created = async (sql: Sql, make: MakeRow, caller: Caller, server: ServerContext) => ({
  status: 201 as const,
  json: await showMake(sql, { id: make.id, caller, server }),
  location: `${server.publicUrl}/api/v1/makes/${make.slug}`,
  subject: { id: make.id },
});
