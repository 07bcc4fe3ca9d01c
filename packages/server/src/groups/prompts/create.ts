import {
  type CreatedPrompt,
  type CreatePrompt,
  type JsonText,
  limits,
  type OperationOf,
  readEntry,
} from "@promptreg/core";
import { apiError, invalid } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { lockAccount } from "../../kernel/accounts/accounts.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { requireSlug } from "../../kernel/accounts/restriction.ts";
import type { HandlerWith, Replay } from "../../kernel/handler.ts";
import { checkContent, commit, type Committed, type Content, readCommitted, refuse } from "./commit.ts";
import { countPrompts, insertPrompt, type NewPrompt } from "./create.sql.ts";
import { saveDraft } from "./draft.ts";
import { selectFreeSlug } from "./fork.sql.ts";
import { withVersion } from "./get.ts";
import { selectPrompt } from "./get.sql.ts";
import { labelNew } from "./move-label.ts";
import { indexAbout } from "./search.sql.ts";
import type { Viewing } from "./summary.sql.ts";
import type { PromptRow } from "./target.ts";
import type { ServerContext } from "../../kernel/server-context.ts";

/**
 * Makes a slug from a title: words of letters and digits, joined by hyphens.
 * @throws {ApiError} `validation_failed` if the title has none: an invented slug would be a surprise.
 */
export function slugOf(title: string): string {
  const slug = title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f']/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 64)
    .replace(/^-|-$/g, "");
  if (slug !== "") return slug;
  throw invalid("/slug", "No slug can be made from this title. Send a slug.");
}

/**
 * Locks the account of a caller who creates a prompt.
 * @throws {ApiError} `quota_exceeded`.
 */
export async function requireRoom(sql: Sql, { id }: Pick<Caller, "id">): Promise<void> {
  await lockAccount(sql, id);
  if ((await countPrompts(sql, id)) >= limits.promptsPerAccount) {
    throw apiError("quota_exceeded", {
      message: `An account can have ${limits.promptsPerAccount} prompts.`,
    });
  }
}

/**
 * Writes a prompt without a version, for a locked account.
 * @throws {ApiError} `slug_taken`.
 */
export async function writePrompt(sql: Sql, wanted: NewPrompt): Promise<PromptRow> {
  const prompt = await insertPrompt(sql, wanted);
  if (prompt === null) {
    throw apiError("slug_taken", {
      message: `You have used the slug ${wanted.slug} already. Choose another.`,
    });
  }
  const { title, tags = [], summary = null } = wanted.prompt;
  await indexAbout(sql, prompt.id, { title, tags, summary });
  return prompt;
}

/**
 * Checks the files of a draft that must be able to become a version. Call it outside transactions.
 * @throws {ApiError} `invalid_file`, `payload_too_large`, `invalid_entry` or `invalid_variables`.
 */
export async function checkDraft({ kind, files, slug = "" }: CreatePrompt): Promise<Content> {
  const content = await checkContent(files);
  refuse(readEntry(kind, content.files, slug).problems);
  return content;
}

/**
 * Creates a prompt with a checked draft and no version, at the first slug that is free.
 * @throws {ApiError} `quota_exceeded`.
 */
export async function createDraft(
  { sql, server }: { sql: Sql; server: Pick<ServerContext, "accountBytes"> },
  owner: Pick<Caller, "id">,
  { body, content }: { body: CreatePrompt & { slug: string }; content: Content },
): Promise<PromptRow> {
  await requireRoom(sql, owner);
  const slug = await selectFreeSlug(sql, { ownerId: owner.id, slug: body.slug });
  const prompt = await writePrompt(sql, { ownerId: owner.id, slug, prompt: body });
  await saveDraft({ sql, server }, prompt, { files: body.files }, content);
  return prompt;
}

interface Created extends Viewing {
  prompt: PromptRow;
  version: Pick<Committed, "id" | "json"> | null;
}

/** The reply about a new prompt. */
export async function created(sql: Sql, { prompt, version, ...viewing }: Created) {
  const { id: promptId, ownerHandle, slug } = prompt;
  const { fields } = await selectPrompt(sql, { promptId, versionId: null, files: "meta", ...viewing });
  return {
    status: 201 as const,
    json: withVersion<CreatedPrompt>(fields, {}, version?.json ?? null),
    location: `${viewing.publicUrl}/api/v1/prompts/${ownerHandle}/${slug}`,
    subject: { promptId, versionId: version?.id },
  };
}

/** Reads the response about a new prompt again. */
export async function replay({
  caller,
  sql,
  server: { publicUrl },
  subject,
}: Pick<Replay<OperationOf<"prompts.create">, null>, "caller" | "sql" | "server" | "subject">): Promise<
  JsonText<CreatedPrompt>
> {
  const { fields } = await selectPrompt(sql, { ...subject, files: "meta", caller, publicUrl });
  return withVersion<CreatedPrompt>(fields, {}, await readCommitted(sql, subject.versionId));
}

export const create: HandlerWith<"prompts.create", { prepared: Content }> = {
  prepare: ({ body }) => checkContent(body.files),

  async handle({ body, caller, prepared: content, sql, emit, audit, server }) {
    await requireRoom(sql, caller);
    const slug = body.slug ?? slugOf(body.title);
    requireSlug(caller, slug);
    const prompt = await writePrompt(sql, { ownerId: caller.id, slug, prompt: body });
    const message = body.message ?? null;
    let version: Pick<Committed, "id" | "json"> | null = null;
    if (body.publish === false) {
      await saveDraft({ sql, server }, prompt, { files: body.files, message }, content);
    } else {
      const origin = { type: "commit" } as const;
      version = await commit({ sql, emit, caller, server }, { prompt, content, message, origin });
      await labelNew({ sql, emit, audit, caller, prompt }, { names: body.labels, versionNumber: 1 });
    }
    return created(sql, { prompt, version, caller, publicUrl: server.publicUrl });
  },

  replay,
};
