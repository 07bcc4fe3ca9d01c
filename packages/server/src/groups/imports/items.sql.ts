import type { DetectedItem } from "@promptreg/core";
import { columns, piece } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import { type Fitting, fitting } from "../../kernel/lists/fitting.sql.ts";
import type { Page } from "../../kernel/lists/page.ts";
import { isListed } from "../prompts/index.ts";

/** An item, from `import_items m`. */
const itemColumns = columns<DetectedItem>({
  id: "m.id",
  detector: "m.detector",
  kind: "m.kind",
  title: "m.title",
  slug: "m.slug",
  summary: "m.summary",
  tags: "m.tags",
  license: "m.license",
  sourcePath: "m.source_path",
  part: "m.part",
  files: "m.files",
  preview: "m.preview",
  variables: "m.variables",
  confidence: "m.confidence",
  selected: "m.selected",
  // Only what the account can see now, under its present address.
  duplicate: piece`(
    select json_build_object(
      'level', case when count(*) = 0 then 'none' else m.duplicate ->> 'level' end,
      'matches', coalesce(json_agg(
        match || case when p.id is null then '{}' else jsonb_build_object('ref', o.handle || '/' || p.slug) end order by nth), '[]'))
    from jsonb_array_elements(m.duplicate -> 'matches') with ordinality as hint (match, nth)
      left join prompts p on p.id = match ->> 'ref' left join users o on o.id = p.owner_id
    where match ->> 'type' = 'item' or p.deleted_at is null and (match ->> 'own')::boolean or ${(sql) => isListed(sql)})`,
  warnings: "m.warnings",
  state: "m.state",
  result: piece`case
    when m.error is not null then json_build_object('error', m.error)
    when m.prompt_id is not null then (
      select json_build_object('ref', o.handle || '/' || p.slug) from prompts p join users o on o.id = p.owner_id
      where p.id = m.prompt_id
    ) end`,
});

/** A page of what an import found, in the order of the source. */
export function selectItems(
  sql: Sql,
  { importId, page: { after, take } }: { importId: string; page: Pick<Page, "after" | "take"> },
) {
  const rows = sql`
    select * from import_items
    where import_id = ${importId} ${after === null ? sql`` : sql`and position > ${after[0] as number}`}
    order by position limit ${take}`;
  return sql<Fitting[]>`
    select row_to_json(item)::text as item, json_build_array(m.position) as key, m.found
    from ${fitting(sql, { rows, order: sql`position` })} m cross join lateral (select ${itemColumns(sql)}) item
    order by m.position`;
}
