import { apiError } from "@promptreg/core/errors";
import type { HandlerWith } from "../../kernel/handler.ts";
import { checkContent, commit, type Content } from "./commit.ts";
import { takeDraft } from "./draft.sql.ts";
import { loadResolved, type ResolvedRow } from "./get.sql.ts";
import { moveLabel } from "./move-label.ts";

export const create: HandlerWith<"prompts.versions.create", { prepared: Content | null }> = {
  prepare: async ({ body }) => (body.files ? checkContent(body.files) : null),

  async handle({ body, caller, target: prompt, prepared, sql, emit, audit, server }) {
    const draft = prepared ? null : await takeDraft(sql, prompt.id);
    const content = prepared ?? (draft && (await checkContent(draft.files)));
    if (content === null) throw apiError("draft_required");
    const base = body.baseVersionNumber ?? draft?.baseVersion ?? null;
    if (base !== null && base !== prompt.lastVersion) {
      throw apiError("version_conflict", {
        message: `This was made from version ${base}, but the newest is ${prompt.lastVersion}.`,
      });
    }
    const message = body.message ?? draft?.message ?? null;
    const origin = { type: draft ? "draft" : "commit" } as const;
    const committing = { sql, emit, caller, server };
    const { id, n, url, json } = await commit(committing, { prompt, content, message, origin });
    if (prompt.status === "draft") {
      await emit("prompt.published", { prompt }, { version: { id, versionNumber: n, url } });
    }
    for (const name of new Set(body.labels)) {
      await moveLabel({ sql, emit, audit, caller, prompt }, { name, versionNumber: n, reason: null });
    }
    const path = `/api/v1/prompts/${prompt.ownerHandle}/${prompt.slug}/versions/${n}`;
    return { status: 201, json, location: server.publicUrl + path };
  },
};

export const get: HandlerWith<"prompts.versions.get", { target: ResolvedRow }> = {
  load: (sql, request) =>
    loadResolved(sql, request, {
      wanted: { version: request.address.n },
      files: request.query.files ?? "full",
    }),

  async handle({ params, query, target: prompt }) {
    if (prompt.versionText === null) {
      throw apiError("not_found", {
        message: `${prompt.ownerHandle}/${prompt.slug} has no version ${params.n}.`,
      });
    }
    return {
      status: 200,
      json: prompt.versionText,
      etag: `${prompt.versionId}.${query.files ?? "full"}`,
      immutable: prompt.visibility === "public" ? "public" : "private",
    };
  },
};
