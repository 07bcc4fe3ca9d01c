import { one } from "../../database/rows.ts";
import type { CurrentDraft, Draft, DraftFile, FileInput, JsonText, Problem } from "@promptreg/core";
import { columns, object, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { countBytes } from "../../kernel/changes/account-bytes.ts";
import type { PromptRow } from "./target.ts";

/** A prompt, as far as what its draft takes is counted for its owner. */
type Owned = Pick<PromptRow, "id" | "ownerId">;

/** A draft to write. */
export interface NewDraft {
  prompt: Owned;
  files: DraftFile[];
  message: string | null;
  baseVersionNumber: number | null;
  /** In bytes, over all files. */
  size: number;
  problems: Problem[];
}

/** What the saved draft of a prompt takes, before the statement. */
const sizeOf = (sql: Sql, promptId: string) =>
  sql`coalesce((select size from drafts where prompt_id = ${promptId}), 0)::int`;

/** How many bytes the saved draft of a prompt takes. */
export async function selectDraftSize(sql: Sql, promptId: string): Promise<number> {
  const { size } = await one(sql<{ size: number }[]>`select ${sizeOf(sql, promptId)} as size`);
  return size;
}

/** Replaces the draft of a locked prompt. The prompt itself does not change. */
export const writeDraft = (
  sql: Sql,
  { prompt: { id: promptId, ownerId: accountId }, ...draft }: NewDraft,
) => sql`
  with counted as (
    ${countBytes(sql, { accountId, delta: sql`${draft.size}::int - ${sizeOf(sql, promptId)}` })}
  ), written as (
    insert into drafts (prompt_id, files, message, base_version, size, problems, updated_at)
    values (${promptId}, ${sql.json(draft.files)}, ${draft.message}, ${draft.baseVersionNumber},
      ${draft.size}, ${sql.json(draft.problems as never)}, clock())
    on conflict (prompt_id) do update set files = excluded.files, message = excluded.message,
      base_version = excluded.base_version, size = excluded.size, problems = excluded.problems,
      updated_at = excluded.updated_at
  )
  update prompts set draft_revision = draft_revision + 1 where id = ${promptId}`;

export const deleteDraft = (sql: Sql, { id, ownerId: accountId }: Owned) => sql`
  with counted as (${countBytes(sql, { accountId, delta: sql`-${sizeOf(sql, id)}` })}),
    deleted as (delete from drafts where prompt_id = ${id} returning prompt_id)
  update prompts set draft_revision = draft_revision + 1 from deleted where id = deleted.prompt_id`;

/** A saved draft to commit. */
export interface DraftRow {
  files: FileInput[];
  message: string | null;
  baseVersion: number | null;
}

/** Deletes the saved draft of a prompt and gives it; null if there is none. */
export async function takeDraft(sql: Sql, { id, ownerId: accountId }: Owned): Promise<DraftRow | null> {
  const [row] = await sql<DraftRow[]>`
    with counted as (${countBytes(sql, { accountId, delta: sql`-${sizeOf(sql, id)}` })}),
      taken as (delete from drafts where prompt_id = ${id} returning *),
      revised as (
        update prompts set draft_revision = draft_revision + 1 from taken where id = taken.prompt_id
      )
    select files, message, base_version as "baseVersion" from taken`;
  return row ?? null;
}

/** What `If-Match` on a draft compares, from `prompts p`. */
export const draftRevision = (sql: Sql): Fragment => sql`p.draft_revision::text`;

const draftColumns = columns<Draft>({
  files: "d.files",
  message: "d.message",
  baseVersionNumber: "d.base_version",
  updatedAt: "iso(d.updated_at)",
  size: "d.size",
  problems: "d.problems",
});

/** The JSON of the draft of `prompts p`. */
const currentDraft = object<CurrentDraft>({
  draft: piece`(
    select row_to_json(draft) from (select ${draftColumns} from drafts d where d.prompt_id = p.id) draft)`,
});

/** The response about the draft of a prompt. */
export async function selectDraft<T = CurrentDraft>(sql: Sql, promptId: string): Promise<JsonText<T>> {
  const { json } = await one(sql<{ json: JsonText<T> }[]>`
    select ${currentDraft(sql)}::text as json from prompts p where p.id = ${promptId}`);
  return json;
}
