import type { Sql } from "../../database/sql.ts";
import { type Fitting, fitting } from "../../kernel/lists/fitting.sql.ts";
import type { Page } from "../../kernel/lists/page.ts";
import { wantedNumber } from "./get.sql.ts";
import { versionTag } from "./version.sql.ts";
import { fits, type Wanted } from "./list.sql.ts";

/** A version that a label of a listed prompt points to. */
export interface ListedRow extends Pick<Fitting, "key" | "found"> {
  promptId: string;
  ownerId: string;
  versionId: string;
  versionTag: string;
  ref: string;
  isYanked: boolean;
}

/**
 * What a label of all listed prompts of an owner points to, the newest prompt first, whose place in the list never changes. A
 * page with much in its files ends early.
 */
export function selectListedVersions(
  sql: Sql,
  { query, page: { after, take }, caller }: Pick<Wanted, "query" | "caller"> & { page: Page },
): Promise<ListedRow[]> {
  const [at, id] = after?.map(String) ?? [];
  const isBeyond =
    at === undefined || id === undefined
      ? sql`true`
      : sql`(p.created_at, p.id) < (select ${at}::text::timestamptz, ${id}::text)`;
  // `offset 0`: version by version, whatever statistics there are. A join may read all versions.
  const wanted = sql`
    select p.id, p.owner_id, p.created_at, o.handle || '/' || p.slug as ref, v.*
    from prompts p join users o on o.id = p.owner_id cross join lateral (
      select v.id as "versionId", ${versionTag(sql)} as "versionTag", v.yanked_at is not null as "isYanked" from versions v
      where v.prompt_id = p.id and v.n = ${wantedNumber(sql, query)} offset 0
    ) v
    where ${fits(sql, { query, caller })} and ${isBeyond}
    order by p.created_at desc, p.id desc limit ${take}`;
  const rows = sql`
    select p.*, (select sum(f.size) from version_files f where f.version_id = p."versionId") as size from (${wanted}) p`;
  return sql<ListedRow[]>`
    select id as "promptId", owner_id as "ownerId", "versionId", "versionTag", ref, "isYanked", json_build_array(created_at, id) as key, found
    from ${fitting(sql, { rows, order: sql`created_at desc, id desc` })} p order by created_at desc, id desc`;
}
