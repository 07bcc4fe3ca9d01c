import type { ListPrompts } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import type { ShownVersion } from "./get.ts";
import { wantedNumber } from "./get.sql.ts";
import { fits, type Wanted } from "./list.sql.ts";
import { accountsNamed } from "./target.ts";

/** A version that a label of an owner's prompt points to. */
export interface ListingRow extends ShownVersion {
  n: number;
}

/** Whose versions are listed, and the label that points to them. */
export type ListingQuery = Pick<ListPrompts, "owner" | "label">;

/** What a label of all listed prompts of an owner points to, at most `take`, and the owner's id if there is such an account. */
export async function selectListing(
  sql: Sql,
  { query, caller, take }: Pick<Wanted, "caller"> & { query: ListingQuery; take: number },
): Promise<{ ownerId: string | null; rows: ListingRow[] }> {
  const { owner = "" } = query;
  const ownerId =
    owner === "me"
      ? sql`${caller?.id ?? null}::text`
      : sql`(select id from ${accountsNamed(sql, owner)} a limit 1)`;
  // `offset 0`: version by version, whatever statistics there are. A join may read all versions.
  const [found] = await sql<{ ownerId: string | null; rows: ListingRow[] | null }[]>`
    select ${ownerId} as "ownerId", (
      select json_agg(row_to_json(listed)) from (
        select o.handle || '/' || p.slug as ref, v.* from prompts p join users o on o.id = p.owner_id cross join lateral (
          select v.id as "versionId", v.n, v.yanked_at is not null as "isYanked" from versions v
          where v.prompt_id = p.id and v.n = ${wantedNumber(sql, query)} offset 0
        ) v
        where ${fits(sql, { query, caller })}
        order by p.created_at desc, p.id desc limit ${take}
      ) listed
    ) as rows`;
  return { ownerId: found?.ownerId ?? null, rows: found?.rows ?? [] };
}
