import { readEntry, type SavedDraft, type SaveDraft } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Sql } from "../../database/sql.ts";
import type { HandlerWith } from "../../kernel/handler.ts";
import type { Loaded, LoadRequest } from "../../kernel/target.ts";
import { checkContent, type Content } from "./commit.ts";
import { deleteDraft, selectDraft, selectDraftRevision, writeDraft } from "./draft.sql.ts";
import { type PromptRow, promptTarget } from "./target.ts";

/** Stores what was sent as the draft of a locked prompt, beside what a commit of it would refuse. */
export const saveDraft = (
  sql: Sql,
  prompt: PromptRow,
  { files, message = null, baseVersionNumber = null }: SaveDraft,
  content: Content,
) =>
  writeDraft(sql, {
    promptId: prompt.id,
    files: files.map(({ encoding = "utf8", mode = "100644", ...file }) => ({ ...file, encoding, mode })),
    message,
    baseVersionNumber,
    size: content.files.reduce((sum, { size }) => sum + size, 0),
    problems: readEntry(prompt.kind, content.files, prompt.slug).problems,
  });

/** Finds a prompt under the revision of its draft, which is what `If-Match` on a draft speaks of. */
async function load(sql: Sql, request: LoadRequest<PromptAddress>): Promise<Loaded<PromptRow>> {
  const { target, ...loaded } = await promptTarget.load(sql, request);
  if (target === null) return { ...loaded, target };
  return { ...loaded, target: { ...target, revision: await selectDraftRevision(sql, target.id) } };
}

export const get: HandlerWith<"prompts.draft.get", {}> = {
  load,

  async handle({ target: prompt, holds, sql }) {
    if (holds(prompt.revision)) return { status: 304, etag: prompt.revision };
    const { revision, json } = await selectDraft(sql, prompt.id);
    return { status: 200, json, etag: revision };
  },
};

export const put: HandlerWith<"prompts.draft.put", { prepared: Content }> = {
  prepare: ({ body }) => checkContent(body.files),
  load,

  async handle({ body, target: prompt, prepared: content, sql }) {
    await saveDraft(sql, prompt, body, content);
    const { revision, json } = await selectDraft<SavedDraft>(sql, prompt.id);
    return { status: 200, json, etag: revision };
  },
};

const remove: HandlerWith<"prompts.draft.delete", {}> = {
  load,

  async handle({ target: prompt, sql }) {
    if (prompt.status === "draft") {
      throw apiError("draft_required", {
        message: `This draft is all there is of ${prompt.ownerHandle}/${prompt.slug}. Commit it, or delete the prompt.`,
      });
    }
    await deleteDraft(sql, prompt.id);
    return { status: 204 };
  },
};
export { remove as delete };
