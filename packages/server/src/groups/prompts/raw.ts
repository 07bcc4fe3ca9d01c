import { apiError } from "@promptreg/core/errors";
import type { HandlerWith } from "../../kernel/handler.ts";
import { loadResolved, type ResolvedRow } from "./get.sql.ts";
import { selectFile } from "./raw.sql.ts";

export const get: HandlerWith<"prompts.raw.get", { target: ResolvedRow }> = {
  load: (sql, request) => loadResolved(sql, request, { wanted: request.query, files: "meta" }),

  async handle({ query, target: prompt, sql }) {
    if (prompt.status === "draft") throw apiError("prompt_not_published");
    const { versionId } = prompt;
    const file = versionId && (await selectFile(sql, { versionId, path: query.path ?? null }));
    if (!file) throw apiError("not_found");
    if (file.text === null) {
      throw apiError("not_text", {
        message: `${query.path} is binary. Get the version to read it as base64.`,
      });
    }
    return {
      status: 200,
      text: file.text,
      etag: file.sha256,
      ...(query.version !== undefined && {
        immutable: prompt.visibility === "public" ? ("public" as const) : ("private" as const),
      }),
    };
  },
};
