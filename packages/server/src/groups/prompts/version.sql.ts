import { one } from "../../database/rows.ts";
import type { JsonText, Version, VersionFile, VersionSummary } from "@promptreg/core";
import { columns, type Fields, object, piece } from "../../database/columns.ts";
import { blobOfFile } from "./blob.sql.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { type Fitting, fitting } from "../../kernel/lists/fitting.sql.ts";
import type { Page } from "../../kernel/lists/page.ts";
import { userRef } from "../../kernel/accounts/accounts.ts";

/** How much of a version's files a response shows. */
export type FileDetail = "full" | "meta";

const file: Fields<VersionFile> = {
  path: "f.path",
  mode: "f.mode",
  size: "f.size",
  sha256: "encode(f.sha256, 'hex')",
  mediaType: "f.media_type",
  encoding: "f.encoding",
};
const fileWithContent: Fields<VersionFile> = {
  ...file,
  content: `case f.encoding when 'utf8' then convert_from(b.content, 'UTF8')
    else translate(encode(b.content, 'base64'), E'\\n', '') end`,
};

const metaFiles = piece`
  (select json_agg(file order by file.path) from (
    select ${columns<VersionFile>(file)} from version_files f where f.version_id = v.id
  ) file)`;
const fullFiles = piece`
  (select json_agg(file order by file.path) from (
    select ${columns<VersionFile>(fileWithContent)}
    from version_files f cross join lateral ${blobOfFile} b where f.version_id = v.id
  ) file)`;

/**
 * What names a version in ETags, from `versions v`. The only thing that ever changes in one is the handle of an author whose account
 * was deleted, and then this changes too.
 */
export const versionTag = piece`(case v.edition when 0 then v.id else v.id || '.' || v.edition end)`;

/** A version, from `versions v`. It is immutable, so no field may read anything that can change. */
const version: Fields<Version> = {
  id: "v.id",
  n: "v.n",
  promptId: "v.prompt_id",
  message: "v.message",
  files: metaFiles,
  entry: "v.entry",
  contentHash: "v.content_hash",
  variables: "v.variables",
  config: "v.config",
  tokenEstimate: "v.token_estimate",
  author: { id: "v.author_id", handle: "v.author_handle" },
  createdAt: "iso(v.created_at)",
  origin: "v.origin",
};

const printed = (fields: Fields<Version>) => piece`
  (select row_to_json(version) from (select ${columns<Version>(fields)}) version)`;
/** The JSON of a version, from `versions v`, by the detail of its files. */
export const versionWith = { meta: printed(version), full: printed({ ...version, files: fullFiles }) };

/** The JSON of a version, from `versions v`. */
export const versionJson = (sql: Sql, files: FileDetail): Fragment => versionWith[files](sql);

interface Site {
  publicUrl: string;
}
type Yank = NonNullable<VersionSummary["yanked"]>;

const { files: _, ...withoutFiles } = version;
/** The JSON of a version in lists, from `versions v`: without files, and with its yank and labels, which can change. */
const versionSummary = piece<Site>`
  (select row_to_json(version) from (
    select ${columns<VersionSummary, Site>({
      ...withoutFiles,
      yanked: piece<Site>`case when v.yanked_at is not null then ${object<Yank, Site>({
        at: "iso(v.yanked_at)",
        reason: "v.yank_reason",
        by: userRef("v.yanked_by"),
      })} end`,
      labels: `coalesce((select json_agg(l.name order by l.name) from labels l
        where l.prompt_id = v.prompt_id and l.version_n = v.n), '[]')`,
    })}
  ) version)::text`;

/** The versions of a prompt, newest first. A page of those with long settings ends early. */
export function selectVersions(
  sql: Sql,
  {
    promptId,
    withYanked,
    publicUrl,
    page: { after, take },
  }: { promptId: string; withYanked: boolean; publicUrl: string; page: Page },
): Promise<Fitting[]> {
  const rows = sql`
    select v.*, octet_length(v.variables::text) + octet_length(v.config::text) as size from versions v
    where v.prompt_id = ${promptId} and ${withYanked ? sql`true` : sql`v.yanked_at is null`}
      and ${after === null ? sql`true` : sql`v.n < ${after[0] ?? null}::int`}
    order by v.n desc limit ${take}`;
  return sql<Fitting[]>`
    select ${versionSummary(sql, { publicUrl })} as item, json_build_array(v.n) as key, v.found
    from ${fitting(sql, { rows, order: sql`n desc` })} v order by v.n desc`;
}

export async function selectVersionSummary(
  sql: Sql,
  { promptId, n, publicUrl }: { promptId: string; n: number; publicUrl: string },
): Promise<JsonText<VersionSummary>> {
  const { version } = await one(sql<{ version: JsonText<VersionSummary> }[]>`
    select ${versionSummary(sql, { publicUrl })} as version from versions v where v.prompt_id = ${promptId} and v.n = ${n}`);
  return version;
}
