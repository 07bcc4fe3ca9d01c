import { apiError } from "@promptreg/core/errors";
import { promptUrl } from "../../kernel/emit.ts";
import type { HandlerWith } from "../../kernel/handler.ts";
import { checkContent, commit, type Content } from "./commit.ts";
import { takeDraft } from "./create.sql.ts";
import { loadResolved, type ResolvedRow } from "./get.sql.ts";
import { moveLabel } from "./move-label.ts";
import { versionCreated } from "./version-event.ts";

export const create: HandlerWith<"prompts.versions.create", { prepared: Content | null }> = {
  prepare: async ({ body }) => (body.files ? checkContent(body.files) : null),

  async handle({ body, caller, target: prompt, prepared, sql, emit, audit, server: { publicUrl } }) {
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
    const { id, n, json } = await commit(sql, { prompt, content, message, origin, author: caller });
    const { contentHash } = content;
    const version = versionCreated(publicUrl, prompt, { id, n, message, contentHash, origin });
    await emit("prompt.version.created", { prompt }, { version });
    if (prompt.status === "draft") {
      const published = { id, versionNumber: n, url: promptUrl(publicUrl, prompt, n) };
      await emit("prompt.published", { prompt }, { version: published });
    }
    for (const name of new Set(body.labels)) {
      await moveLabel({ sql, emit, audit, caller, prompt }, { name, versionNumber: n, reason: null });
    }
    const path = `/api/v1/prompts/${prompt.ownerHandle}/${prompt.slug}/versions/${n}`;
    return { status: 201, json, location: publicUrl + path };
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
