import type { DownloadFormat } from "@promptreg/core";
import { archiveFolder } from "@promptreg/core/content";
import { apiError } from "@promptreg/core/errors";
import type { HandlerWith } from "../../kernel/handler.ts";
import { streamed } from "../../kernel/http/streamed.ts";
import type { ArchiveFile } from "./archives/archive.ts";
import { tarGz } from "./archives/tar-gz.ts";
import { zip } from "./archives/zip.ts";
import { heldBy, inTurns, readContents } from "./contents.ts";
import { convert } from "./convert.ts";
import {
  archiveEnding,
  archiveKnown,
  type Downloadable,
  type Known,
  selectDownloadable,
  selectParts,
} from "./download.sql.ts";
import { lasting } from "./lasting.ts";
import { loadResolved, type ResolvedRow } from "./get.sql.ts";
import { allYanked } from "./target.ts";
import type { Sql } from "../../database/sql.ts";
import { seesPrivate } from "../../kernel/accounts/ownership.ts";

type Row = ResolvedRow & Partial<Known>;

const archives = {
  zip: { pack: zip, type: "application/zip" },
  "tar.gz": { pack: tarGz, type: "application/gzip" },
};
const isArchive = (format: DownloadFormat): format is keyof typeof archives =>
  Object.hasOwn(archives, format);

export const download: HandlerWith<"prompts.download", { target: Row }> = {
  load(sql, request) {
    const { format = "zip" } = request.query;
    if (!isArchive(format)) return loadResolved<Partial<Known>>(sql, request, request.query);
    const ending = archiveEnding(format, request.address);
    return loadResolved<Partial<Known>>(sql, request, request.query, archiveKnown(sql, request, ending));
  },

  async handle({ query, caller, target: prompt, network, sql, server }) {
    const { format = "zip", unwrap = false, dataset: name } = query;
    const { versionId } = prompt;
    if (prompt.status === "draft") throw apiError("prompt_not_published");
    if (versionId === null) throw allYanked(prompt);
    const cached = isArchive(format) ? archiveCaching(prompt, { versionId, format, query }) : null;
    if (cached && prompt.isKnown) return { status: 304, ...cached };
    const source = await selectDownloadable(sql, { versionId, publicUrl: server.publicUrl });
    const dataset =
      name === undefined
        ? undefined
        : { promptId: prompt.id, dataset: name, isOwner: seesPrivate(caller, prompt) };
    const made = isArchive(format)
      ? await archiveOf(sql, source, { format, read: inTurns(server, network) })
      : await convert(sql, source, { versionId, format, unwrap, dataset });
    const { holds, chunks, ...reply } = made;
    const bytes = streamed(server, network, { holds, chunks });
    const traffic = [{ act: "download" as const, subject: prompt, versionId, format }];
    return { status: 200, bytes, ...reply, ...cached, traffic };
  },
};

/** An archive of a version never changes, and the name of its folder only with the prompt's address. */
const archiveCaching = (
  prompt: ResolvedRow,
  { versionId, format, query }: { versionId: string; format: string; query: { version?: number } },
) => ({
  etag: `${versionId}${archiveEnding(format, prompt)}`,
  ...(query.version !== undefined && lasting(prompt)),
});

/** All files of a version as they are. */
async function archiveOf(
  sql: Sql,
  source: Downloadable,
  { format, read }: { format: keyof typeof archives; read: ReturnType<typeof inTurns> },
) {
  const { slug, version, listed } = source;
  const folder = await folderOf(sql, source);
  const { pack, type } = archives[format];
  const files = inFolder(folder, readContents(read, listed));
  return {
    // Two files that are packed at the same time, and what they become.
    holds: 4 * heldBy(listed),
    chunks: pack({ files, time: new Date(version.createdAt) }),
    type,
    filename: `${slug}-v${version.n}.${format}`,
  };
}

async function folderOf(
  sql: Sql,
  { slug, kind, version: { n, entry }, listed }: Downloadable,
): Promise<string> {
  const { sha256 = "", size = 0 } = listed.find(({ path }) => path === entry) ?? {};
  const [text] = kind === "skill" ? await selectParts(sql, [{ sha256, from: 0, length: size }]) : [];
  return archiveFolder({ kind, slug, n, entry: text?.toString() ?? "" });
}

async function* inFolder(folder: string, files: AsyncIterable<ArchiveFile>): AsyncGenerator<ArchiveFile> {
  for await (const file of files) yield { ...file, path: `${folder}/${file.path}` };
}
