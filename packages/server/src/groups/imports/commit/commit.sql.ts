import type { CommitItem, DraftFile, PromptKind } from "@promptreg/core";
import type { Sql } from "../../../database/sql.ts";
import type { Held } from "../work.sql.ts";

/** What a commit takes of an item, and changes. */
export interface Choice {
  id: string;
  chosen: Omit<CommitItem, "id">;
}

/** An item, as far as a commit looks at it. */
export interface ChosenRow {
  id: string;
  selected: boolean;
  chosen: Choice["chosen"] | null;
}

export const selectChosen = (sql: Sql, importId: string) => sql<ChosenRow[]>`
  select id, selected, chosen from import_items where import_id = ${importId}`;

/** Notes what is chosen, and gives the ids that the import has. */
export async function chooseItems(
  sql: Sql,
  importId: string,
  choices: readonly Choice[],
): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    update import_items m set chosen = choice.chosen
    from jsonb_to_recordset(${sql.json(choices as never)}) as choice (id text, chosen jsonb)
    where m.import_id = ${importId} and m.id = choice.id
    returning m.id`;
  return new Set(rows.map(({ id }) => id));
}

/** Skips what was not chosen. */
export const beginCommit = (sql: Sql, importId: string) => sql`
  with skipped as (
    update import_items set state = 'skipped' where import_id = ${importId} and chosen is null returning id
  ), contents as (
    delete from import_contents where item_id in (select id from skipped)
  )
  update imports set status = 'committing', skipped = (select count(*) from skipped), revision = revision + 1
  where id = ${importId}`;

/** An item that is to become a draft. */
export interface ItemToCommit extends Choice {
  kind: PromptKind;
  slug: string;
  title: string;
  summary: string | null;
  tags: string[];
  license: string | null;
  files: DraftFile[];
}

/** The next item of a commit; null if all are done: what is done, or was not chosen, has no content any more. */
export async function selectNextItem(sql: Sql, importId: string): Promise<ItemToCommit | null> {
  const [row] = await sql<ItemToCommit[]>`
    select m.id, m.kind, m.slug, m.title, m.summary, m.tags, m.license, m.chosen, c.files
    from import_items m join import_contents c on c.item_id = m.id
    where m.import_id = ${importId}
    order by m.position limit 1`;
  return row ?? null;
}

/** What became of an item. */
export type Outcome = { promptId: string } | { error: { code: string; message: string } };

/** Records what became of an item of a locked import. */
export const recordItem = (
  sql: Sql,
  { importId, itemId, outcome }: { importId: string; itemId: string; outcome: Outcome },
) => {
  const promptId = "promptId" in outcome ? outcome.promptId : null;
  const error = "error" in outcome ? sql.json(outcome.error) : null;
  return sql`
    with content as (delete from import_contents where item_id = ${itemId}), item as (
      update import_items set state = ${promptId === null ? "failed" : "committed"}, prompt_id = ${promptId}, error = ${error}
      where id = ${itemId}
    )
    update imports set committed = committed + ${promptId === null ? 0 : 1}, failed = failed + ${promptId === null ? 1 : 0},
      revision = revision + 1
    where id = ${importId}`;
};

/** Ends a commit whose items are all done. */
export const completeImport = (sql: Sql, { id }: Held) => sql`
  update imports set status = 'completed', finished_at = clock(), revision = revision + 1,
    lease_token = null, leased_until = null
  where id = ${id}`;
