import type { Sql, Fragment } from "../../database/sql.ts";

/** How much of a version's files an answer shows. */
export type FileDetail = "full" | "meta";

const fileContent = (sql: Sql): Fragment => sql`
  , case f.encoding when 'utf8' then convert_from(b.content, 'UTF8')
      else translate(encode(b.content, 'base64'), E'\n', '') end as content`;

/** The JSON of a version, from `versions v`: nothing in it can change, so nothing here may read what can. */
export const versionJson = (sql: Sql, files: FileDetail): Fragment => sql`
  (select row_to_json(version) from (
    select v.id, v.n, v.prompt_id as "promptId", v.message,
      (select json_agg(file order by file.path) from (
        select f.path, f.mode, f.size, encode(f.sha256, 'hex') as sha256, f.media_type as "mediaType", f.encoding
          ${files === "full" ? fileContent(sql) : sql``}
        from version_files f ${files === "full" ? sql`join blobs b on b.sha256 = f.sha256` : sql``}
        where f.version_id = v.id
      ) file) as files,
      v.entry, v.content_hash as "contentHash", v.variables, v.config, v.token_estimate as "tokenEstimate",
      json_build_object('id', v.author_id, 'handle', v.author_handle) as author,
      iso(v.created_at) as "createdAt", v.origin
  ) version)`;
