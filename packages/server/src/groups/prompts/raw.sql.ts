import type { Sql } from "../../database/sql.ts";

/** Reads one file of a version as text; `text` is null for a binary one. Null where there is no such file. */
export async function selectFile(
  sql: Sql,
  { versionId, path }: { versionId: string; path: string | null },
): Promise<{ sha256: string; text: string | null } | null> {
  const [row] = await sql<{ sha256: string; text: string | null }[]>`
    select encode(f.sha256, 'hex') as sha256,
      case f.encoding when 'utf8' then convert_from(b.content, 'UTF8') end as text
    from versions v join version_files f on f.version_id = v.id join blobs b on b.sha256 = f.sha256
    where v.id = ${versionId} and f.path = coalesce(${path}, v.entry)`;
  return row ?? null;
}
