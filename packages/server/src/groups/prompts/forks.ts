import { apiError } from "@promptreg/core/errors";
import type { HandlerWith } from "../../kernel/handler.ts";
import { promptUrl } from "../../kernel/changes/emit.ts";
import { addVersion } from "./commit.ts";
import { copyVersion, selectStored } from "./commit.sql.ts";
import { replay, created, requireRoom, writePrompt } from "./create.ts";
import { countFork, selectFreeSlug } from "./fork.sql.ts";
import { selectEntry } from "./search.sql.ts";
import { hasNo } from "./target.ts";
import { selectMetadata } from "./update.sql.ts";

export const create: HandlerWith<"prompts.forks.create", {}> = {
  lock: "share",

  async handle({ body, caller, target: source, sql, emit, notify, server }) {
    if (source.status === "draft") throw apiError("prompt_not_published");
    const from = body.versionNumber ?? source.latestVersion;
    if (from === null) throw apiError("version_yanked", { message: "Every version of it was yanked." });
    const stored = await selectStored(sql, { promptId: source.id, n: from });
    if (stored === null) throw hasNo(source, `version ${from}`);
    if (stored.isYanked) {
      throw apiError("version_yanked", { message: `Version ${from} was yanked and cannot be forked.` });
    }
    await requireRoom(sql, caller);
    const { slug: _, ...about } = await selectMetadata(sql, source.id);
    const fork = await writePrompt(sql, {
      ownerId: caller.id,
      slug: body.slug ?? (await selectFreeSlug(sql, { ownerId: caller.id, slug: source.slug })),
      prompt: { ...about, kind: source.kind, visibility: body.visibility ?? about.visibility },
      source: { id: source.id, n: from },
    });
    const { contentHash } = stored;
    const copy = { promptId: fork.id, message: null, contentHash, from: stored.id };
    const origin = { type: "fork" as const, promptId: source.id, versionNumber: from };
    const version = await addVersion(
      { sql, emit, caller, server },
      {
        prompt: fork,
        contentHash,
        message: null,
        origin,
        warnings: [],
        text: await selectEntry(sql, { promptId: source.id, n: from }),
        contents: [],
        write: (n, { id }) => copyVersion(sql, { ...copy, id, n, origin }, caller),
      },
    );
    if (fork.visibility === "public") {
      await countFork(sql, fork.id, 1);
      const ref = `${fork.ownerHandle}/${fork.slug}`;
      const about = { prompt: source, userId: source.ownerId, subjectId: fork.id };
      await notify("prompt.forked", about, {
        fork: { id: fork.id, ref, url: promptUrl(server.publicUrl, fork) },
      });
    }
    return created(sql, { prompt: fork, version, caller, publicUrl: server.publicUrl });
  },

  replay,
};
