import { readEntry, type SavedDraft, type SaveDraft } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { revisionAlone } from "../../kernel/operations/etag.ts";
import { requireBytes, selectStorage } from "../../kernel/changes/account-bytes.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import type { HandlerWith } from "../../kernel/handler.ts";
import { checkContent, type Content } from "./commit.ts";
import { deleteDraft, draftRevision, selectDraft, selectDraftSize, writeDraft } from "./draft.sql.ts";
import type { PromptRow } from "./target.ts";

/**
 * Stores the draft of a locked prompt, with the problems that its commit would have now.
 * @throws {ApiError} `quota_exceeded`.
 */
export async function saveDraft(
  { sql, server }: { sql: Sql; server: Pick<ServerContext, "accountBytes"> },
  prompt: PromptRow,
  { files, message = null, baseVersionNumber = null }: SaveDraft,
  content: Content,
): Promise<void> {
  const size = content.files.reduce((sum, file) => sum + file.size, 0);
  const [storage, former] = await Promise.all([
    selectStorage(sql, prompt.ownerId),
    selectDraftSize(sql, prompt.id),
  ]);
  requireBytes(server, { ...storage, more: size - former });
  await writeDraft(sql, {
    prompt,
    files: files.map(({ encoding = "utf8", mode = "100644", ...file }) => ({ ...file, encoding, mode })),
    message,
    baseVersionNumber,
    size,
    problems: readEntry(prompt.kind, content.files, prompt.slug).problems,
  });
}

export const get: HandlerWith<"prompts.draft.get", {}> = {
  revision: draftRevision,
  state: revisionAlone,
  handle: async ({ target: prompt, sql }) => ({ status: 200, json: await selectDraft(sql, prompt.id) }),
};

export const put: HandlerWith<"prompts.draft.put", { prepared: Content }> = {
  prepare: ({ body }) => checkContent(body.files),
  revision: draftRevision,

  async handle({ body, target: prompt, prepared: content, sql, server }) {
    await saveDraft({ sql, server }, prompt, body, content);
    return { status: 200, json: await selectDraft<SavedDraft>(sql, prompt.id) };
  },
};

const remove: HandlerWith<"prompts.draft.delete", {}> = {
  revision: draftRevision,

  async handle({ target: prompt, sql }) {
    if (prompt.status === "draft") {
      throw apiError("draft_required", {
        message: `${prompt.ownerHandle}/${prompt.slug} has no version, only this draft. Commit it, or delete the prompt.`,
      });
    }
    await deleteDraft(sql, prompt);
    return { status: 204 };
  },
};
export { remove as delete };
