import { one } from "../../database/rows.ts";
import type { CheckedFile, Origin, Variable } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { countBytes, storageOf, type Storage } from "../../kernel/changes/account-bytes.ts";
import type { PromptRow } from "./target.ts";
import { versionJson } from "./version.sql.ts";

/** What a commit needs before it writes a version. */
export interface Ground extends Storage {
  /** The id that the version will have. */
  id: string;
  /** Of the latest version; null if there is none. */
  latestHash: string | null;
  /** The given digests whose content is not stored yet. */
  missing: string[];
}

export async function selectGround(
  sql: Sql,
  {
    prompt: { id: promptId, ownerId, latestVersion: latest },
    digests,
  }: { prompt: Pick<PromptRow, "id" | "ownerId" | "latestVersion">; digests: readonly string[] },
): Promise<Ground> {
  return one(sql<Ground[]>`
    select new_id('ver') as id, ${storageOf(sql, { accountId: ownerId })},
      (select content_hash from versions where prompt_id = ${promptId} and n = ${latest}) as "latestHash",
      array(
        select digest from unnest(${[...digests]}::text[]) digest
        where not exists (select from blobs where sha256 = decode(digest, 'hex'))
      ) as missing`);
}

/** Stores missing contents in the order of their digests, so that two commits cannot deadlock. */
export async function insertBlobs(
  sql: Sql,
  files: readonly CheckedFile[],
  missing: readonly string[],
): Promise<void> {
  const contents = new Map(files.map(({ sha256, bytes }) => [sha256, bytes]));
  await Promise.all(
    [...new Set(missing)].sort().map((sha256) =>
      sql`
        insert into blobs (sha256, content) values (decode(${sha256}, 'hex'), ${contents.get(sha256) ?? null})
        on conflict do nothing`.execute(),
    ),
  );
}

/** A version to write. */
export interface NewVersion {
  id: string;
  promptId: string;
  n: number;
  message: string | null;
  entry: string;
  contentHash: string;
  variables: Variable[];
  config: object;
  tokenEstimate: number;
  /** By what duplicates of its text are found. */
  textHash: Uint8Array;
  origin: Origin;
  files: readonly CheckedFile[];
}

/** Writes a version with its list of files. */
export async function insertVersion(sql: Sql, version: NewVersion, author: Caller): Promise<void> {
  const files = version.files.map(({ bytes: _, ...file }) => file);
  // As `json`, which keeps the order of keys: `sql.json` sends `jsonb`.
  const inOrder = (value: unknown) => sql.typed(value as never, 114);
  await sql`
    with written as (
      insert into versions (id, prompt_id, n, message, entry, content_hash, variables, config, token_estimate,
        text_hash, author_id, author_handle, origin)
      values (${version.id}, ${version.promptId}, ${version.n}, ${version.message}, ${version.entry}, ${version.contentHash},
        ${inOrder(version.variables)}, ${inOrder(version.config)}, ${version.tokenEstimate},
        ${version.textHash}, ${author.id}, ${author.handle}, ${sql.json(version.origin as never)})
      returning id
    )
    insert into version_files (version_id, path, mode, size, sha256, media_type, encoding)
    select written.id, f.path, f.mode, f.size, decode(f.sha256, 'hex'), f."mediaType", f.encoding
    from written, jsonb_to_recordset(${sql.json(files)})
      as f (path text, mode text, size int, sha256 text, "mediaType" text, encoding text)`;
}

/** A version whose files are stored already. */
export interface CopiedVersion
  extends Pick<NewVersion, "id" | "promptId" | "n" | "message" | "origin" | "contentHash"> {
  /** The id of the version that has its entry file, and what is read from that. */
  from: string;
  /** A statement that gives its rows of `version_files`. Default: those of `from`. */
  files?: Fragment;
}

/** Writes a version of stored files, of which no content is read. */
export async function copyVersion(
  sql: Sql,
  { from, files = sql`select * from version_files where version_id = ${from}`, ...copy }: CopiedVersion,
  author: Caller,
): Promise<void> {
  await sql`
    with written as (
      insert into versions (id, prompt_id, n, message, entry, content_hash, variables, config, token_estimate,
        text_hash, author_id, author_handle, origin)
      select ${copy.id}, ${copy.promptId}, ${copy.n}, ${copy.message}, entry, ${copy.contentHash}, variables, config,
        token_estimate, text_hash, ${author.id}, ${author.handle}, ${sql.json(copy.origin as never)}
      from versions where id = ${from}
      returning id
    )
    insert into version_files (version_id, path, mode, size, sha256, media_type, encoding)
    select written.id, f.path, f.mode, f.size, f.sha256, f.media_type, f.encoding from written, (${files}) f`;
}

/** What a row of the list of files takes. */
const bytesPerFile = 256;

/** Counts what a version takes: contents that were not stored before, and the rows of its list of files. */
export const countVersion = (
  sql: Sql,
  { id, accountId, contents }: { id: string; accountId: string; contents: number },
) => {
  const files = sql`(select count(*)::int from version_files where version_id = ${id})`;
  return sql`${countBytes(sql, { accountId, delta: sql`${contents}::int + ${bytesPerFile}::int * ${files}` })}`;
};

/** Makes a version the latest of its prompt, and publishes the prompt. */
export async function publishVersion(
  sql: Sql,
  { promptId, n }: { promptId: string; n: number },
): Promise<void> {
  await sql`
    update prompts set last_version = ${n}, latest_version = ${n}, status = 'published', revision = revision + 1,
      updated_at = clock(), published_at = coalesce(published_at, clock())
    where id = ${promptId}`;
}

/** A version to make another one from; null if the prompt has none with this number. */
export async function selectStored(
  sql: Sql,
  { promptId, n }: { promptId: string; n: number },
): Promise<{ id: string; contentHash: string; isYanked: boolean } | null> {
  const [row] = await sql<{ id: string; contentHash: string; isYanked: boolean }[]>`
    select id, content_hash as "contentHash", yanked_at is not null as "isYanked" from versions
    where prompt_id = ${promptId} and n = ${n}`;
  return row ?? null;
}

export async function selectCommitted(sql: Sql, versionId: string): Promise<string> {
  const { version } = await one(sql<{ version: string }[]>`
    select ${versionJson(sql, "meta")}::text as version from versions v where v.id = ${versionId}`);
  return version;
}
