import { createHash } from "node:crypto";
import { mediaType } from "@promptreg/core/content";
import { apiError, invalid } from "@promptreg/core/errors";
import {
  type FormatCase,
  FormatError,
  type FormatFile,
  type FormatName,
  formats,
  writeFormat,
  type Written,
} from "@promptreg/core/formats";
import type { Sql } from "../../database/sql.ts";
import { pieces } from "./archives/archive.ts";
import { zip } from "./archives/zip.ts";
import { readContents } from "./contents.ts";
import {
  type AskedDataset,
  datasetBytes,
  type Downloadable,
  selectCases,
  selectDatasetCases,
} from "./download.sql.ts";

/** As JSON, a version of 10 MiB could have six times as much. */
const maxBytes = 20 * 1024 * 1024;

interface Asked {
  versionId: string;
  /** What the cases are read from, in place of the approved examples. */
  dataset: AskedDataset | undefined;
}

/** What a tool reads of a version: as a zip, or its only file as it is. */
export async function convert(
  sql: Sql,
  source: Downloadable,
  { format, unwrap, ...asked }: Asked & { format: FormatName; unwrap: boolean },
) {
  const { files, warnings = [] } = await write(sql, source, { format, ...asked });
  const contents = files.map((file) => ({ ...file, content: Buffer.from(file.content as string) }));
  const bytes = contents.reduce((sum, { content }) => sum + content.length, 0);
  if (bytes > maxBytes) {
    const message = "In this format the files are over 20 MiB. Download them as they are, as zip or tar.gz.";
    throw apiError("format_too_large", { message });
  }
  const holds = 3 * bytes;
  const etagFor = (filename: string) => digestOf([filename, source.version.createdAt, ...warnings], contents);
  if (!unwrap) {
    const archive = { files: contents, time: new Date(source.version.createdAt) };
    const filename = `${source.slug}-v${source.version.n}-${format}.zip`;
    const etag = etagFor(filename);
    return { holds, warnings, chunks: zip(archive), type: "application/zip", filename, etag };
  }
  const [only, ...others] = contents;
  if (only === undefined || others.length > 0) throw severalFiles(format, contents.length);
  const isText = typeof files[0]?.content === "string";
  const type = mediaType(only.path, isText ? "utf8" : "base64");
  const filename = only.path.slice(only.path.lastIndexOf("/") + 1);
  return {
    holds,
    warnings,
    chunks: pieces(only.content),
    type: isText ? `${type}; charset=utf-8` : type,
    filename,
    etag: etagFor(filename),
  };
}

/** The ETag is made of the content, so that it changes too when a release writes a format otherwise. */
function digestOf(
  about: readonly string[],
  files: readonly { path: string; mode: string; content: Uint8Array }[],
) {
  const digest = createHash("sha1").update(JSON.stringify(about));
  for (const { path, mode, content } of files) {
    digest.update(JSON.stringify([path, mode, content.length])).update(content);
  }
  return digest.digest("base64url");
}

/** Reads what the format needs, and writes its files. All of them are in memory: a version has 10 MiB at most. */
async function write(
  sql: Sql,
  { listed, version, ...about }: Downloadable,
  { format, versionId, dataset }: Asked & { format: FormatName },
): Promise<Written> {
  const isEntryAlone = formats[format].reads === "entry";
  const needed = isEntryAlone ? listed.filter(({ path }) => path === version.entry) : listed;
  const files = await readAll(sql, needed);
  const cases = dataset
    ? await casesOf(sql, about.ref, dataset)
    : formats[format].showsCases
      ? await selectCases(sql, versionId)
      : [];
  try {
    return writeFormat(format, { ...about, version, files, cases });
  } catch (error) {
    if (error instanceof FormatError) throw apiError(error.code, { message: error.message });
    throw error;
  }
}

/** @throws {ApiError} `not_found`, also if it is somebody else's private dataset, or `format_too_large`. */
async function casesOf(sql: Sql, ref: string, asked: AskedDataset): Promise<FormatCase[]> {
  const found = await selectDatasetCases(sql, asked);
  if (found === null) throw apiError("not_found", { message: `${ref} has no dataset "${asked.dataset}".` });
  if (!found.isCut) return found.cases;
  const message = `The cases of the dataset take more than ${datasetBytes / 1024 / 1024} MiB. Read them page by page.`;
  throw apiError("format_too_large", { message });
}

async function readAll(sql: Sql, listed: Downloadable["listed"]): Promise<FormatFile[]> {
  const files: FormatFile[] = [];
  const texts = new Set(listed.flatMap(({ path, isText }) => (isText ? [path] : [])));
  for await (const file of readContents((read) => read(sql), listed)) {
    files.push(texts.has(file.path) ? { ...file, content: new TextDecoder().decode(file.content) } : file);
  }
  return files;
}

const severalFiles = (format: FormatName, count: number) =>
  invalid(
    "/unwrap",
    `This prompt has ${count} files in the format ${format}. Leave unwrap out to get a zip of them.`,
  );
