import type { CheckedFile, Origin, Variable } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/caller.ts";
import { versionJson } from "./version.sql.ts";

/** Stores the contents that are not there yet, in the order of their digests, so that two commits cannot deadlock. */
export async function insertBlobs(sql: Sql, files: readonly CheckedFile[]): Promise<void> {
  const known = await sql<{ sha256: string }[]>`
    select encode(sha256, 'hex') as sha256 from blobs
    where sha256 in (select decode(hash, 'hex') from unnest(${files.map((file) => file.sha256)}::text[]) hash)`;
  const stored = new Set(known.map(({ sha256 }) => sha256));
  const missing = new Map(
    files.filter(({ sha256 }) => !stored.has(sha256)).map((file) => [file.sha256, file.bytes]),
  );
  for (const [sha256, bytes] of [...missing].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await sql`
      insert into blobs (sha256, content) values (decode(${sha256}, 'hex'), ${bytes}) on conflict do nothing`;
  }
}

/** A version as it is about to be written. */
export interface NewVersion {
  promptId: string;
  n: number;
  message: string | null;
  entry: string;
  contentHash: string;
  variables: Variable[];
  config: object;
  tokenEstimate: number;
  origin: Origin;
  files: readonly CheckedFile[];
}

/** Writes a version with its list of files and gives its id. */
export async function insertVersion(sql: Sql, version: NewVersion, author: Caller): Promise<string> {
  const files = version.files.map(({ bytes: _, ...file }) => file);
  const [row] = await sql<{ id: string }[]>`
    with written as (
      insert into versions (prompt_id, n, message, entry, content_hash, variables, config, token_estimate,
        author_id, author_handle, origin)
      values (${version.promptId}, ${version.n}, ${version.message}, ${version.entry}, ${version.contentHash},
        ${sql.json(version.variables as never)}, ${sql.json(version.config as never)}, ${version.tokenEstimate},
        ${author.id}, ${author.handle}, ${sql.json(version.origin as never)})
      returning id
    ), listed as (
      insert into version_files (version_id, path, mode, size, sha256, media_type, encoding)
      select written.id, f.path, f.mode, f.size, decode(f.sha256, 'hex'), f."mediaType", f.encoding
      from written, jsonb_to_recordset(${sql.json(files)})
        as f (path text, mode text, size int, sha256 text, "mediaType" text, encoding text)
    )
    select id from written`;
  if (row === undefined) throw new Error("a version was written but not returned");
  return row.id;
}

/** Writes a copy of a version, under another number and in another name, and gives its id. */
export async function copyVersion(
  sql: Sql,
  { promptId, from, ...copy }: Pick<NewVersion, "promptId" | "n" | "message" | "origin"> & { from: number },
  author: Caller,
): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    with source as (
      select * from versions where prompt_id = ${promptId} and n = ${from}
    ), written as (
      insert into versions (prompt_id, n, message, entry, content_hash, variables, config, token_estimate,
        author_id, author_handle, origin)
      select prompt_id, ${copy.n}, ${copy.message}, entry, content_hash, variables, config, token_estimate,
        ${author.id}, ${author.handle}, ${sql.json(copy.origin as never)}
      from source
      returning id
    ), listed as (
      insert into version_files (version_id, path, mode, size, sha256, media_type, encoding)
      select written.id, f.path, f.mode, f.size, f.sha256, f.media_type, f.encoding
      from written, source join version_files f on f.version_id = source.id
    )
    select id from written`;
  if (row === undefined) throw new Error(`there is no version to copy: ${promptId} ${from}`);
  return row.id;
}

/** Makes a version the newest of its prompt, and the prompt a published one. */
export const publishVersion = (sql: Sql, { promptId, n }: { promptId: string; n: number }) => sql`
  update prompts set last_version = ${n}, latest_version = ${n}, status = 'published', revision = revision + 1,
    updated_at = clock(), published_at = coalesce(published_at, clock())
  where id = ${promptId}`;

export async function selectContentHash(
  sql: Sql,
  { promptId, n }: { promptId: string; n: number | null },
): Promise<string | null> {
  if (n === null) return null;
  const [row] = await sql<{ contentHash: string }[]>`
    select content_hash as "contentHash" from versions where prompt_id = ${promptId} and n = ${n}`;
  return row?.contentHash ?? null;
}

export async function selectCommitted(sql: Sql, versionId: string): Promise<string> {
  const [row] = await sql<{ version: string }[]>`
    select ${versionJson(sql, "meta")}::text as version from versions v where v.id = ${versionId}`;
  if (row === undefined) throw new Error(`the version just written is not there: ${versionId}`);
  return row.version;
}
