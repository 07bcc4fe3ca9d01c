import type { Variable } from "@promptreg/core";
import type { ComparableFile } from "@promptreg/core/content";
import type { VersionName } from "@promptreg/core/refs";
import type { Fragment, Sql } from "../../database/sql.ts";
import { wantedNumber } from "./get.sql.ts";

/** One version of a comparison, without the content of its files. */
export interface Side {
  id: string;
  n: number;
  variables: Variable[];
  config: Record<string, unknown>;
  files: ComparableFile[];
}

const side = (sql: Sql, name: VersionName): Fragment => sql`
  (select row_to_json(side) from (
    select v.id, v.n, v.variables, v.config,
      (select json_agg(file) from (
        select f.path, f.mode, encode(f.sha256, 'hex') as sha256, f.encoding
        from version_files f where f.version_id = v.id
      ) file) as files
    from versions v where v.prompt_id = p.id and v.n = ${wantedNumber(sql, name)}
  ) side)`;

/** Finds a version; null if the prompt has no such version. */
export async function selectSide(
  sql: Sql,
  { promptId, n }: { promptId: string; n: number },
): Promise<Side | null> {
  const [row] = await sql<{ side: Side | null }[]>`
    select ${side(sql, { version: n })} as side from prompts p where p.id = ${promptId}`;
  return row?.side ?? null;
}

/** Finds both versions of a range; null if the prompt has no such version. */
export async function selectSides(
  sql: Sql,
  { promptId, from, to }: { promptId: string; from: VersionName; to: VersionName },
): Promise<{ from: Side | null; to: Side | null }> {
  const [row] = await sql<{ from: Side | null; to: Side | null }[]>`
    select ${side(sql, from)} as from, ${side(sql, to)} as to from prompts p where p.id = ${promptId}`;
  return row ?? { from: null, to: null };
}

const blobsNamed = (sql: Sql, digests: readonly string[]): Fragment =>
  sql`blobs b join unnest(${digests as string[]}::text[]) as named (sha256) on b.sha256 = decode(named.sha256, 'hex')`;

/** Reads texts by the sha256 of their bytes, in hex. */
export async function selectTexts(sql: Sql, digests: readonly string[]): Promise<Map<string, string>> {
  if (digests.length === 0) return new Map();
  const rows = await sql<{ sha256: string; text: string }[]>`
    select named.sha256, convert_from(b.content, 'UTF8') as text from ${blobsNamed(sql, digests)}`;
  return new Map(rows.map(({ sha256, text }) => [sha256, text]));
}

/** Reads bytes by their sha256, in hex. */
export async function selectBytes(sql: Sql, digests: readonly string[]): Promise<Map<string, Uint8Array>> {
  if (digests.length === 0) return new Map();
  const rows = await sql<{ sha256: string; content: Uint8Array }[]>`
    select named.sha256, b.content from ${blobsNamed(sql, digests)}`;
  return new Map(rows.map(({ sha256, content }) => [sha256, content]));
}
