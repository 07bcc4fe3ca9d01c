import { one } from "../../database/rows.ts";
import { limits } from "@promptreg/core";
import type { FormatCase, FormatSource } from "@promptreg/core/formats";
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
  const row = await one(sql<Downloadable[]>`
    select ${downloadable(sql)}
    from versions v join prompts p on p.id = v.prompt_id join users o on o.id = p.owner_id
    where v.id = ${versionId}`);
  return { ...row, url: `${publicUrl}/api/v1/prompts/${row.ref}` };
}

/** All cases of a format together: a tool's reader takes no more, and to print more would hold up the process. */
const casesBytes = 256 * 1024;

/** The approved examples of a version, or of the prompt as a whole, in their order: as many as fit. */
export const selectCases = (sql: Sql, versionId: string) => sql<FormatCase[]>`
  select variables, output as expected
  from (
    select e.*, sum(octet_length(variables::text) + coalesce(octet_length(output), 0)) over (order by place, id) as bytes
    from (
      select e.id, e.variables, e.output, coalesce(e.position, 2147483647) as place
      from versions v join examples e on e.prompt_id = v.prompt_id and (e.version_n is null or e.version_n = v.n)
      where v.id = ${versionId} and e.status = 'approved' and e.deleted_at is null
      order by place, e.id limit 100
    ) e
  ) e
  where bytes <= ${casesBytes} order by place, id`;

/** A dataset of a prompt, as a caller names it. */
export interface AskedDataset {
  promptId: string;
  /** Its name or its id. */
  dataset: string;
  /** A private one is found by the owner of the prompt alone. */
  isOwner: boolean;
}

/** The most that the cases of a dataset may take as JSON. They are read, printed and packed in one go. */
export const datasetBytes = 2 * 1024 * 1024;

/** The cases of a dataset in their order; null if it is not there. `isCut` if they are longer than a format shows. */
export async function selectDatasetCases(
  sql: Sql,
  { promptId, dataset, isOwner }: AskedDataset,
): Promise<{ cases: FormatCase[]; isCut: boolean } | null> {
  const [found] = await sql<{ id: string }[]>`
    select id from eval_datasets
    where prompt_id = ${promptId} and deleted_at is null and ${dataset} in (id, name)
      ${isOwner ? sql`` : sql`and visibility = 'public'`}
    order by id = ${dataset} desc`;
  if (found === undefined) return null;
  const rows = await sql<(FormatCase & { found: number })[]>`
    select key, variables, expected, assertions, weight, found
    from (
      select *, sum(size + octet_length(key)) over (order by position, id) as bytes, count(*) over ()::int as found
      from (
        select * from eval_cases where dataset_id = ${found.id} order by position, id limit ${limits.casesPerDataset}
      ) c
    ) c
    where bytes <= ${datasetBytes} order by position, id`;
  return {
    cases: rows.map(({ found: _, ...one }) => one),
    isCut: rows.length < (rows[0]?.found ?? 0),
  };
}

/** A part of a file's content. */
export interface Part {
  /** In hex. */
  sha256: string;
  from: number;
  length: number;
}

/**
 * The contents of some parts, in their order. The driver would make a string of each, as long as the part is twice: the
 * garbage stops the process for 20 ms and more. So it hands over the bytes that came.
 */
export async function selectParts(sql: Sql, parts: readonly Part[]): Promise<Buffer[]> {
  const rows = await sql<{ part: Buffer }[]>`
    select substring(b.content from part.start + 1 for part.length)
    from unnest(${parts.map(({ sha256 }) => sha256)}::text[], ${parts.map(({ from }) => from)}::int[],
        ${parts.map(({ length }) => length)}::int[]) with ordinality part (digest, start, length, nth)
      cross join lateral (select content from blobs where sha256 = decode(part.digest, 'hex') offset 0) b
    order by part.nth`.raw();
  if (rows.length < parts.length) throw new Error("a file of this version has no content");
  return rows.map(([text]) => fromHex(text as Buffer));
}

/** Short strings are cheap to collect. */
const hexLength = 16 * 1024;

/** Reads what PostgreSQL writes for bytes: `\x`, and hex. */
function fromHex(text: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe((text.length - 2) / 2);
  for (let at = 2; at < text.length; at += hexLength) {
    bytes.write(text.toString("latin1", at, at + hexLength), (at - 2) / 2, "hex");
  }
  return bytes;
}
