import { isDeepStrictEqual } from "node:util";
import type { UpdatePrompt } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { callerAs } from "../../kernel/accounts/caller.ts";
import { requireSlug } from "../../kernel/accounts/restriction.ts";
import { withdraw } from "../../kernel/changes/emit.ts";
import type { Handler } from "../../kernel/handler.ts";
import { lockAccount } from "../../kernel/accounts/accounts.ts";
import { countFork } from "./fork.sql.ts";
import { show } from "./get.ts";
import { loadResolved } from "./get.sql.ts";
import { indexPrompt } from "./search.sql.ts";
import type { PromptRow } from "./target.ts";
import { isSlugTaken, keepSlug, selectMetadata, updateMetadata } from "./update.sql.ts";
import { owns } from "../../kernel/accounts/ownership.ts";

export const update: Handler<"prompts.update"> = async ({
  body,
  caller,
  target: prompt,
  sql,
  audit,
  server,
}) => {
  const before = await selectMetadata(sql, prompt.id);
  const after = { ...before, ...body };
  const changed = Object.keys(body).filter(
    (field) => !isDeepStrictEqual(before[field as keyof UpdatePrompt], after[field as keyof UpdatePrompt]),
  );
  if (changed.length > 0) {
    if (after.slug !== before.slug) {
      requireSlug(caller, after.slug);
      await rename(sql, { prompt, to: after.slug });
    }
    await updateMetadata(sql, prompt.id, after);
    if (["title", "tags", "summary", "license"].some((field) => changed.includes(field)))
      await indexPrompt(sql, prompt.id, { ...after, n: prompt.latestVersion });
    if (changed.includes("visibility") && after.visibility === "private")
      await withdraw(sql, server, prompt.id);
    const isPublic = after.visibility === "public";
    if (isPublic !== (before.visibility === "public")) await countFork(sql, prompt.id, isPublic ? 1 : -1);
    const of = (said: object) =>
      Object.fromEntries(Object.entries(said).filter(([name]) => changed.includes(name)));
    const change = { from: of(before), to: of(after) };
    if (!owns(caller, prompt)) await audit("prompt.moderate", prompt.id, change);
    else if (changed.includes("visibility")) await audit("prompt.visibility", prompt.id, change);
  }
  const address = { owner: prompt.ownerHandle, slug: after.slug };
  // A moderator may have hidden it from themselves.
  const owner = callerAs(sql, { id: prompt.ownerId, role: "user" });
  const { target } = await loadResolved(sql, { address, caller: owner }, {});
  if (target === null) throw new Error(`the prompt of this request is gone: ${prompt.id}`);
  return show(sql, { prompt: target, wanted: {}, files: "meta", caller, publicUrl: server.publicUrl });
};

/**
 * Gives the prompt the slug, and keeps its former one. The slug is the owner's, also if a moderator or admin renames.
 * @throws {ApiError} `slug_taken`.
 */
async function rename(sql: Sql, { prompt, to }: { prompt: PromptRow; to: string }): Promise<void> {
  const { id: promptId, ownerId, slug: from } = prompt;
  await lockAccount(sql, ownerId);
  if (await isSlugTaken(sql, { ownerId, slug: to, promptId })) {
    throw apiError("slug_taken", {
      message: `${prompt.ownerHandle} has used the slug ${to} for another prompt. Choose another.`,
    });
  }
  await keepSlug(sql, { ownerId, promptId, from, to });
}
