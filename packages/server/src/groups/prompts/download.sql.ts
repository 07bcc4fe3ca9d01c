import type { FormatSource } from "@promptreg/core/formats";
import { columns } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { type Conditional } from "../../kernel/handler.ts";
import type { PromptAddress } from "@promptreg/core/refs";
import { knownBefore } from "./get.sql.ts";

/** Whether the caller has the archive already. */
export interface Known {
  isKnown: boolean;
}

/** The ETag of an archive names its version, then its form and the name of its folder. */
export const archiveEnding = (format: string, { slug }: Pick<PromptAddress, "slug">): string =>
  `.${format}.${slug}`;

/** The column of an archive. */
export const archiveKnown = (sql: Sql, request: Conditional, ending: string): Fragment => sql`
  , v.id = any (${knownBefore(request, ending)}::text[]) as "isKnown"`;

/** The state of what a tool reads. All that it shows of a prompt and its labels raises the revision. */
export const formatState = (sql: Sql): Fragment => sql`
  , json_build_array(o.revision, v.id)::text as state`;

/** A file of a version, without its content. */
export interface ListedFile {
  path: string;
  mode: "100644" | "100755";
  size: number;
  /** In hex. */
  sha256: string;
  isText: boolean;
}

/** A version as archives and formats show it. */
export interface Downloadable extends Omit<FormatSource, "files" | "cases"> {
  listed: ListedFile[];
}

const downloadable = columns<Omit<Downloadable, "url">>({
  ref: "o.handle || '/' || p.slug",
  slug: "p.slug",
  kind: "p.kind",
  title: "p.title",
  summary: "p.summary",
  tags: "p.tags",
  license: "p.license",
  version: {
    n: "v.n",
    message: "v.message",
    entry: "v.entry",
    variables: "v.variables",
    config: "v.config",
    createdAt: "iso(v.created_at)",
  },
  labels: `array(select l.name from labels l where l.prompt_id = p.id and l.version_n = v.n order by l.name)`,
  paths: `array(select f.path from version_files f where f.version_id = v.id order by f.path)`,
  listed: `(select json_agg(json_build_object('path', f.path, 'mode', f.mode, 'size', f.size,
    'sha256', encode(f.sha256, 'hex'), 'isText', f.encoding = 'utf8') order by f.path)
    from version_files f where f.version_id = v.id)`,
});

/** What a download shows of a version, without the contents of its files. */
export async function selectDownloadable(
  sql: Sql,
  { versionId, publicUrl }: { versionId: string; publicUrl: string },
): Promise<Downloadable> {
  const [row] = await sql<Downloadable[]>`
    select ${downloadable(sql)}
    from versions v join prompts p on p.id = v.prompt_id join users o on o.id = p.owner_id
    where v.id = ${versionId}`;
  if (row === undefined) throw new Error(`the version of this request is gone: ${versionId}`);
  return { ...row, url: `${publicUrl}/api/v1/prompts/${row.ref}` };
}

/** The contents of some files, by digest. */
export async function selectContents(sql: Sql, digests: readonly string[]): Promise<Map<string, Buffer>> {
  const rows = await sql<{ sha256: string; content: Buffer }[]>`
    select encode(sha256, 'hex') as sha256, content from blobs
    where sha256 in (select decode(digest, 'hex') from unnest(${[...digests]}::text[]) digest)`;
  return new Map(rows.map(({ sha256, content }) => [sha256, content]));
}

/** A part of a large file. */
export async function selectPart(
  sql: Sql,
  { sha256, from, length }: { sha256: string; from: number; length: number },
): Promise<Buffer> {
  const [row] = await sql<{ part: Buffer }[]>`
    select substring(content from ${from + 1}::int for ${length}::int) as part
    from blobs where sha256 = decode(${sha256}, 'hex')`;
  if (row === undefined) throw new Error(`no content has the digest ${sha256}`);
  return row.part;
}
