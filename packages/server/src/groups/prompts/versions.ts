import { apiError } from "@promptreg/core/errors";
import { includesEtag } from "@promptreg/core/wire";
import type { Sql } from "../../database/sql.ts";
import { goesOn } from "../../kernel/lists/fitting.sql.ts";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { copyVersion, selectStored } from "./commit.sql.ts";
import { addVersion, checkContent, commit, type Committed, type Content, readCommitted } from "./commit.ts";
import { takeDraft } from "./draft.sql.ts";
import type { ResolvedRow } from "./get.sql.ts";
import { versionsOf } from "./resolve.ts";
import { lasting } from "./lasting.ts";
import { labelNew } from "./move-label.ts";
import { selectEntry } from "./search.sql.ts";
import { hasNo, type PromptRow } from "./target.ts";
import { selectVersions } from "./version.sql.ts";
import { owns } from "../../kernel/accounts/ownership.ts";

export { unyank, yank } from "./yank.ts";

/** The reply about a new version. */
const created = (
  { ownerHandle, slug }: PromptRow,
  { id, n, json }: Committed,
  { publicUrl }: ServerContext,
) => ({
  status: 201 as const,
  json,
  subject: { versionId: id },
  location: `${publicUrl}/api/v1/prompts/${ownerHandle}/${slug}/versions/${n}`,
});

const replay = ({ sql, subject }: { sql: Sql; subject: { versionId: string } }) =>
  readCommitted(sql, subject.versionId);

export const list: Handler<"prompts.versions.list"> = async ({
  caller,
  target: prompt,
  page,
  sql,
  server: { publicUrl },
}) => {
  const withYanked = owns(caller, prompt);
  const rows = await selectVersions(sql, { promptId: prompt.id, withYanked, publicUrl, page });
  return page.reply(rows, { goesOn: goesOn(rows, page) });
};

export const create: HandlerWith<"prompts.versions.create", { prepared: Content | null }> = {
  prepare: async ({ body }) => (body.files ? checkContent(body.files) : null),

  async handle({ body, caller, target: prompt, prepared, sql, emit, audit, server }) {
    const draft = prepared ? null : await takeDraft(sql, prompt);
    if (draft && !caller.scopes.includes("read")) {
      throw apiError("token_scope", {
        message:
          "The response to a commit of the saved draft shows its content. That needs the scope read too. Send the files instead.",
      });
    }
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
    const committed = await commit(committing, { prompt, content, message, origin });
    const { id, n, url } = committed;
    if (prompt.status === "draft") {
      await emit("prompt.published", { prompt }, { version: { id, versionNumber: n, url } });
    }
    await labelNew({ sql, emit, audit, caller, prompt }, { names: body.labels, versionNumber: n });
    return created(prompt, committed, server);
  },

  replay,
};

export const get: HandlerWith<"prompts.versions.get", { target: ResolvedRow }> = {
  load: (_, { address: { n, ...address }, credential, server }) =>
    versionsOf(server).resolve({ ...address, version: n, credential }),

  async handle({
    params,
    query: { files = "full" },
    target: { versionId, versionTag, ...prompt },
    ifNoneMatch,
    server,
  }) {
    if (versionId === null || versionTag === null) throw hasNo(prompt, `version ${params.n}`);
    const etag = `${versionTag}.${files}`;
    const cached = { etag, ...lasting(prompt) };
    if (includesEtag(ifNoneMatch, etag)) return { status: 304, ...cached };
    return {
      status: 200,
      json: await versionsOf(server).print({ versionId, versionTag, files }),
      ...cached,
    };
  },
};

export const restore: HandlerWith<"prompts.versions.restore", {}> = {
  async handle({ params: { n: from }, body: { message = null }, caller, target: prompt, sql, emit, server }) {
    const promptId = prompt.id;
    const stored = await selectStored(sql, { promptId, n: from });
    if (stored === null) throw hasNo(prompt, `version ${from}`);
    const { contentHash } = stored;
    const about = { message, origin: { type: "restore" as const, versionNumber: from } };
    const committing = { sql, emit, caller, server };
    const restored = await addVersion(committing, {
      ...about,
      prompt,
      contentHash,
      warnings: [],
      text: await selectEntry(sql, { promptId, n: from }),
      contents: [],
      write: (n, { id }) =>
        copyVersion(sql, { id, promptId, from: stored.id, n, contentHash, ...about }, caller),
    });
    return created(prompt, restored, server);
  },

  replay,
};
