import type { WhichVersion } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { HandlerWith } from "../../kernel/handler.ts";
import { loadResolved, type ResolvedRow } from "./get.sql.ts";
import { lasting } from "./lasting.ts";
import { type FileText, fileText } from "./raw.sql.ts";
import { allYanked, hasNo } from "./target.ts";

type FileRow = ResolvedRow & FileText;

/** The reply with one file of a version. A null path means the entry file. */
async function replyWithFile(
  target: FileRow,
  { path, wanted }: { path: string | null; wanted: WhichVersion },
) {
  const { status, file, versionId } = target;
  if (status === "draft") throw apiError("prompt_not_published");
  if (versionId === null) throw allYanked(target);
  if (file === null) throw hasNo(target, `file ${path}`);
  const { sha256: etag, isText, text } = file;
  if (!isText) {
    throw apiError("not_text", { message: `${path} is binary. Get the version to read it as base64.` });
  }
  const cached = { etag, ...(wanted.version !== undefined && lasting(target)) };
  if (text === null) return { status: 304 as const, ...cached };
  const traffic = [{ act: "rawRead" as const, subject: target, versionId }];
  return { status: 200 as const, text, ...cached, traffic };
}

export const get: HandlerWith<"prompts.raw.get", { target: FileRow }> = {
  load: (sql, request) =>
    loadResolved<FileText>(sql, request, request.query, fileText(sql, request, request.query.path ?? null)),
  handle: ({ query: { path = null, ...wanted }, target }) => replyWithFile(target, { path, wanted }),
};

export const getFile: HandlerWith<"prompts.raw.getFile", { target: FileRow }> = {
  load: (sql, request) =>
    loadResolved<FileText>(sql, request, request.query, fileText(sql, request, request.address.path)),
  handle: ({ params: { path }, query: wanted, target }) => replyWithFile(target, { path, wanted }),
};
