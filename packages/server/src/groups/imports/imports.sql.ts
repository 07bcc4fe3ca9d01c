import { one } from "../../database/rows.ts";
import type { Bus } from "../../kernel/changes/bus.ts";
import { leaveJob } from "../../kernel/changes/outbox.ts";
import { type Import, type ImportSource, type ImportStatus, type JsonText, limits } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { columns, piece } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";

/** An import, from `imports i`. */
const importColumns = columns<Import>({
  id: "i.id",
  source: "i.source",
  status: "i.status",
  upload: piece`case when i.upload_size is not null then json_build_object(
    'received', i.upload_received, 'size', i.upload_size, 'chunkSize', ${String(limits.chunkBytes)}) end`,
  counts: {
    detected: "i.detected",
    selected: "i.selected",
    committed: "i.committed",
    skipped: "i.skipped",
    failed: "i.failed",
  },
  warnings: "i.warnings",
  error: "i.error",
  createdAt: "iso(i.created_at)",
  readyAt: "iso(i.ready_at)",
  finishedAt: "iso(i.finished_at)",
  expiresAt: "iso(i.expires_at)",
});

export async function selectImport(sql: Sql, id: string): Promise<JsonText<Import>> {
  const [row] = await sql<{ import: JsonText<Import> }[]>`
    select row_to_json(import)::text as import from (
      select ${importColumns(sql)} from imports i where i.id = ${id}
    ) import`;
  // A read holds no lock: it may have been deleted since it was found.
  if (row === undefined) throw apiError("not_found");
  return row.import;
}

/** A page of the imports of an account, newest first. */
export const selectImports = (
  sql: Sql,
  {
    userId,
    status,
    page: { after, take },
  }: { userId: string; status: ImportStatus | undefined; page: Pick<Page, "after" | "take"> },
) => sql<Listed[]>`
  select row_to_json(import)::text as item, json_build_array(i.id) as key
  from (
    select * from imports
    where user_id = ${userId} and id > first_id('imp', clock() - interval '90 days')
      ${status === undefined ? sql`` : sql`and status = ${status}`}
      ${after === null ? sql`` : sql`and id < ${after[0] as string}`}
    order by id desc limit ${take}
  ) i cross join lateral (select ${importColumns(sql)}) import
  order by i.id desc`;

/** How many imports of an account are neither finished nor cancelled. */
export async function countOpen(sql: Sql, userId: string): Promise<number> {
  const { count } = await one(sql<{ count: number }[]>`
    select count(*)::int as count from imports
    where user_id = ${userId} and status in ('uploading', 'queued', 'detecting', 'ready', 'committing')`);
  return count;
}

/** An import to write. */
export interface NewImport {
  userId: string;
  source: ImportSource;
  /** Of an upload. */
  upload?: { size: number; sha256: string | undefined };
}

/** Writes an import, which has a week, and gives its id. Each chunk of an upload gives that its time. */
export async function insertImport(sql: Sql, { userId, source, upload }: NewImport): Promise<string> {
  const { id } = await one(sql<{ id: string }[]>`
    insert into imports (user_id, source, status, upload_size, upload_received, upload_sha256, expires_at)
    values (${userId}, ${sql.json({ ...source })}, ${upload ? "uploading" : "queued"}, ${upload?.size ?? null},
      ${upload ? 0 : null}, ${upload?.sha256 ?? null}, clock() + interval '7 days')
    returning id`);
  return id;
}

/** Wakes a worker, in the transaction of the change. Which imports have work is known by their status. */
export const wakeImports = (sql: Sql, server: { bus: Bus }) => leaveJob(sql, server, "work_on_imports");

/** Ends a locked import, and deletes what was sent and found. */
export async function endImport(
  sql: Sql,
  id: string,
  { status, error = null }: { status: "cancelled" | "failed"; error?: string | null },
): Promise<void> {
  await sql`
    with chunks as (delete from import_chunks where import_id = ${id}),
      items as (delete from import_items where import_id = ${id})
    update imports set status = ${status}, error = ${error}, finished_at = clock(), revision = revision + 1,
      lease_token = null, leased_until = null
    where id = ${id}`;
}
