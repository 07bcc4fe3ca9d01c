import { type CreatedPrompt, limits } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { HandlerWith } from "../../kernel/handler.ts";
import { lockAccount } from "../../kernel/accounts.ts";
import { checkContent, commit, type Committed, type Content, readCommitted } from "./commit.ts";
import { countPrompts, insertPrompt } from "./create.sql.ts";
import { saveDraft } from "./draft.ts";
import { withVersion } from "./get.ts";
import { selectPrompt } from "./get.sql.ts";
import { labelNew } from "./move-label.ts";
import { indexAbout } from "./search.sql.ts";

/**
 * Makes a slug from a title: words of letters and digits, joined by hyphens.
 * @throws {ApiError} `validation_failed` if the title has none: an invented slug would be a surprise.
 */
function slugOf(title: string): string {
  const slug = title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f']/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 64)
    .replace(/^-|-$/g, "");
  if (slug !== "") return slug;
  throw apiError("validation_failed", {
    message: "No slug can be made from this title. Send a slug.",
    details: [
      { path: "/slug", code: "custom", message: "required, because none can be made from the title" },
    ],
  });
}

export const create: HandlerWith<"prompts.create", { prepared: Content }> = {
  prepare: ({ body }) => checkContent(body.files),

  async handle({ body, caller, prepared: content, sql, emit, audit, server }) {
    await lockAccount(sql, caller.id);
    if ((await countPrompts(sql, caller.id)) >= limits.promptsPerAccount) {
      throw apiError("quota_exceeded", {
        message: `An account can have ${limits.promptsPerAccount} prompts.`,
      });
    }
    const slug = body.slug ?? slugOf(body.title);
    const prompt = await insertPrompt(sql, { ownerId: caller.id, slug, prompt: body });
    if (prompt === null) {
      throw apiError("slug_taken", { message: `You have used the slug ${slug} already. Choose another.` });
    }
    const { title, tags = [], summary = null } = body;
    await indexAbout(sql, prompt.id, { title, tags, summary });
    const message = body.message ?? null;
    let version: Pick<Committed, "id" | "json"> | null = null;
    if (body.publish === false) {
      await saveDraft(sql, prompt, { files: body.files, message }, content);
    } else {
      const origin = { type: "commit" } as const;
      version = await commit({ sql, emit, caller, server }, { prompt, content, message, origin });
      await labelNew({ sql, emit, audit, caller, prompt }, { names: body.labels, versionNumber: 1 });
    }
    const { publicUrl } = server;
    const { fields } = await selectPrompt(sql, {
      promptId: prompt.id,
      versionId: null,
      files: "meta",
      caller,
      publicUrl,
    });
    return {
      status: 201,
      json: withVersion<CreatedPrompt>(fields, {}, version?.json ?? null),
      location: `${publicUrl}/api/v1/prompts/${caller.handle}/${slug}`,
      subject: { promptId: prompt.id, versionId: version?.id },
    };
  },

  async again({ caller, sql, server: { publicUrl }, subject }) {
    const { fields } = await selectPrompt(sql, { ...subject, files: "meta", caller, publicUrl });
    return withVersion<CreatedPrompt>(fields, {}, await readCommitted(sql, subject.versionId));
  },
};
