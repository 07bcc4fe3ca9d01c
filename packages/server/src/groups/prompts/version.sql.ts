import type { JsonText, VersionSummary } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Listed, Page } from "../../kernel/page.ts";
import { userRef } from "../users/index.ts";

/** How much of a version's files an answer shows. */
export type FileDetail = "full" | "meta";

const fileContent = (sql: Sql): Fragment => sql`
  , case f.encoding when 'utf8' then convert_from(b.content, 'UTF8')
      else translate(encode(b.content, 'base64'), E'\n', '') end as content`;

const versionFiles = (sql: Sql, files: FileDetail): Fragment => sql`
  (select json_agg(file order by file.path) from (
    select f.path, f.mode, f.size, encode(f.sha256, 'hex') as sha256, f.media_type as "mediaType", f.encoding
      ${files === "full" ? fileContent(sql) : sql``}
    from version_files f ${files === "full" ? sql`join blobs b on b.sha256 = f.sha256` : sql``}
    where f.version_id = v.id
  ) file) as files,`;

/** What a version says of itself, from `versions v`: nothing in it can change, so nothing here may read what can. */
const versionColumns = (sql: Sql, files: FileDetail | "none"): Fragment => sql`
  v.id, v.n, v.prompt_id as "promptId", v.message, ${files === "none" ? sql`` : versionFiles(sql, files)}
  v.entry, v.content_hash as "contentHash", v.variables, v.config, v.token_estimate as "tokenEstimate",
  json_build_object('id', v.author_id, 'handle', v.author_handle) as author,
  iso(v.created_at) as "createdAt", v.origin`;

/** The JSON of a version, from `versions v`. */
export const versionJson = (sql: Sql, files: FileDetail): Fragment => sql`
  (select row_to_json(version) from (select ${versionColumns(sql, files)}) version)`;

/** The JSON of a version as lists show it, from `versions v`: with what can change, and without files. */
const versionSummary = (sql: Sql, publicUrl: string): Fragment => sql`
  (select row_to_json(version) from (
    select ${versionColumns(sql, "none")},
      case when v.yanked_at is not null then json_build_object('at', iso(v.yanked_at), 'reason', v.yank_reason,
        'by', ${userRef(sql, publicUrl, sql`v.yanked_by`)}) end as yanked,
      coalesce((select json_agg(l.name order by l.name) from labels l
        where l.prompt_id = v.prompt_id and l.version_n = v.n), '[]') as labels
  ) version)::text`;

/** The versions of a prompt, newest first. */
export const selectVersions = (
  sql: Sql,
  {
    promptId,
    withYanked,
    publicUrl,
    page: { after, take },
  }: { promptId: string; withYanked: boolean; publicUrl: string; page: Page },
): Promise<Listed[]> => sql<Listed[]>`
  select ${versionSummary(sql, publicUrl)} as item, json_build_array(v.n) as key
  from versions v
  where v.prompt_id = ${promptId} and ${withYanked ? sql`true` : sql`v.yanked_at is null`}
    and ${after === null ? sql`true` : sql`v.n < ${after[0] ?? null}::int`}
  order by v.n desc limit ${take}`;

export async function selectVersionSummary(
  sql: Sql,
  { promptId, n, publicUrl }: { promptId: string; n: number; publicUrl: string },
): Promise<JsonText<VersionSummary>> {
  const [row] = await sql<{ version: JsonText<VersionSummary> }[]>`
    select ${versionSummary(sql, publicUrl)} as version from versions v where v.prompt_id = ${promptId} and v.n = ${n}`;
  if (row === undefined) throw new Error(`the version of this request is gone: ${promptId} ${n}`);
  return row.version;
}
