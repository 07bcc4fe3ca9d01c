import type { PromptPath, WhichVersion } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { HandlerWith } from "../../kernel/handler.ts";
import type { LoadRequest } from "../../kernel/target.ts";
import { loadResolved, type ResolvedRow } from "./get.sql.ts";
import { selectFile } from "./raw.sql.ts";

const load = (sql: Sql, request: LoadRequest<PromptPath> & { query: WhichVersion }) =>
  loadResolved(sql, request, { wanted: request.query, files: "meta" });

/** The answer that is one file of a version; null asks for its entry file. */
async function answerFile(
  sql: Sql,
  prompt: ResolvedRow,
  { path, wanted }: { path: string | null; wanted: WhichVersion },
) {
  if (prompt.status === "draft") throw apiError("prompt_not_published");
  const { versionId } = prompt;
  const file = versionId && (await selectFile(sql, { versionId, path }));
  if (!file) throw apiError("not_found");
  if (file.text === null) {
    throw apiError("not_text", { message: `${path} is binary. Get the version to read it as base64.` });
  }
  return {
    status: 200 as const,
    text: file.text,
    etag: file.sha256,
    ...(wanted.version !== undefined && {
      immutable: prompt.visibility === "public" ? ("public" as const) : ("private" as const),
    }),
  };
}

export const get: HandlerWith<"prompts.raw.get", { target: ResolvedRow }> = {
  load,
  handle: ({ query: { path = null, ...wanted }, target: prompt, sql }) =>
    answerFile(sql, prompt, { path, wanted }),
};

export const getFile: HandlerWith<"prompts.raw.getFile", { target: ResolvedRow }> = {
  load,
  handle: ({ params: { path }, query: wanted, target: prompt, sql }) =>
    answerFile(sql, prompt, { path, wanted }),
};
