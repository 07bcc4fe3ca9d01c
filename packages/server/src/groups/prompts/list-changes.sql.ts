import type { ListPrompts } from "@promptreg/core";
import { batched } from "../../database/batch.ts";
import type { Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { isOwn } from "../../kernel/accounts/ownership.ts";
import { isCovered } from "../../kernel/accounts/restriction.ts";
import type { ShownVersion } from "./get.ts";
import { wantedNumber } from "./get.sql.ts";
import { accountsNamed } from "./target.ts";
import { versionTag } from "./version.sql.ts";
import { isListed } from "./visibility.sql.ts";

/** A version that a label of an owner's prompt points to. */
export interface ListingRow extends ShownVersion {
  n: number;
  isMature: boolean;
}

/** Whose versions are listed: all of an account's own that its token may use, or those of an account that everybody finds. */
export type Listed = { ownId: string; restriction: Caller["restriction"] } | { owner: string };

/** What a label of all prompts of an owner points to, at most `take`, and the owner's id if there is such an account. */
export async function selectListing(
  sql: Sql,
  { label, take, ...listed }: Listed & { label: ListPrompts["label"] | undefined; take: number },
): Promise<{ ownerId: string | null; rows: ListingRow[] }> {
  const [ownerId, isIn] =
    "ownId" in listed
      ? [
          sql`${listed.ownId}::text`,
          sql`${isOwn(sql, listed.ownId)} and p.deleted_at is null and ${isCovered(sql, listed)}`,
        ]
      : [
          sql`(select id from ${accountsNamed(sql, listed.owner)} a limit 1)`,
          sql`p.owner_id = (select id from ${accountsNamed(sql, listed.owner)} a limit 1) and ${isListed(sql)}`,
        ];
  // `offset 0`: version by version, whatever statistics there are. A join may read all versions.
  const [found] = await sql<{ ownerId: string | null; rows: ListingRow[] | null }[]>`
    select ${ownerId} as "ownerId", (
      select json_agg(row_to_json(listed)) from (
        select o.handle || '/' || p.slug as ref, p.rating = 'mature' as "isMature", v.*
        from prompts p join users o on o.id = p.owner_id cross join lateral (
          select ${versionTag(sql)} as "versionTag", v.n, v.yanked_at is not null as "isYanked" from versions v
          where v.prompt_id = p.id and v.n = ${wantedNumber(sql, { ...(label !== undefined && { label }) })} offset 0
        ) v
        where ${isIn}
        order by p.created_at desc, p.id desc limit ${take}
      ) listed
    ) as rows`;
  return { ownerId: found?.ownerId ?? null, rows: found?.rows ?? [] };
}

/** Finds whether accounts want to see what is mature. Those who ask while a statement runs share the next. */
export const loadMaturity = (sql: Sql): ((accountId: string) => Promise<boolean>) =>
  batched(
    async (ids: readonly string[]) => {
      const rows = await sql<{ isShown: boolean }[]>`
        select (select (preferences ->> 'showMature')::boolean from users where id = asking.id) is true as "isShown"
        from unnest(${ids}::text[]) with ordinality asking (id, nth) order by asking.nth`;
      return rows.map(({ isShown }) => isShown);
    },
    { most: 100 },
  );
