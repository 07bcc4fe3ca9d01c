import type { Sql } from "../../../database/sql.ts";
import type { NearPrompt } from "./own.ts";
import { isListed } from "../../prompts/index.ts";
import { isOwn } from "../../../kernel/accounts/ownership.ts";

/**
 * Writes to the items of a locked import what says the same: the account's own prompts, those that everybody finds, and other items.
 * Items that the account has already start unselected. Prompts are named by id: who can see them, and how they are called, may change. Of a text that thousands of versions have, the oldest hundred are looked at.
 */
export const markDuplicates = (
  sql: Sql,
  { importId, userId, near }: { importId: string; userId: string; near: readonly NearPrompt[] },
) => sql`
  with item as materialized (
      select id, position, nullif(text_hash, '') as text_hash, near from import_items where import_id = ${importId}
    ),
    mine as materialized (
      select p.id, v.n, v.text_hash
      from prompts p join versions v on v.prompt_id = p.id and v.n = p.latest_version
      where ${isOwn(sql, userId)} and p.deleted_at is null
      union all
      -- Drafts of earlier imports that nobody changed.
      select p.id, null, m.text_hash
      from prompts p join import_items m on m.prompt_id = p.id
      where ${isOwn(sql, userId)} and p.deleted_at is null and p.latest_version is null and p.draft_revision = 1
    ),
    -- The pairs of nearly equal items, both ways.
    near as (
      select i.id, other.id as other, n.similarity
      from item i cross join lateral jsonb_to_recordset(i.near) as n (position int, similarity float8)
        join item other on other.position = n.position and other.text_hash is distinct from i.text_hash
    ),
    found (id, type, ref, n, similarity, own, is_exact) as (
      select i.id, 'prompt', mine.id, mine.n, 1, true, true
      from item i join mine using (text_hash)
      union all
      select i.id, 'prompt', p.id, c.n, 1, false, true
      from item i
        cross join lateral (select prompt_id, n from versions v where v.text_hash = i.text_hash and v.text_hash <> '' order by v.id limit 100) c
        join prompts p on p.id = c.prompt_id and p.latest_version = c.n and ${isListed(sql)} and not (${isOwn(sql, userId)})
      union all
      select i.id, 'item', other.id, null, 1, true, true
      from item i join item other on other.text_hash = i.text_hash and other.id <> i.id
      union all
      select i.id, 'prompt', n."promptId", n.n, n.similarity, true, false
      from jsonb_to_recordset(${JSON.stringify(near)}::text::jsonb) as n (position int, "promptId" text, n int, similarity float8)
        join item i using (position)
      where not exists (select from mine where mine.id = n."promptId" and mine.text_hash = i.text_hash)
      union all
      select id, 'item', other, null, similarity, true, false from near
      union all
      select other, 'item', id, null, similarity, true, false from near
    ),
    ranked as (
      select *, row_number() over (partition by id order by is_exact desc, type desc, own desc, similarity desc, ref) as rank
      from found
    ),
    hint as (
      select id, bool_or(is_exact) as is_exact, bool_or(is_exact and own and type = 'prompt') as is_own,
        jsonb_agg(
          jsonb_build_object('type', type, 'ref', ref, 'similarity', round(similarity::numeric, 3), 'own', own)
            || case when n is null then '{}' else jsonb_build_object('versionNumber', n) end
          order by rank
        ) as matches
      from ranked where rank <= 10 group by id
    )
  update import_items m
  set duplicate = jsonb_build_object('level', case when hint.is_exact then 'exact' else 'near' end, 'matches', hint.matches),
    selected = m.selected and not hint.is_own
  from hint where m.id = hint.id`;
