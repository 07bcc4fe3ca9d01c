import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import { deleteLabels, selectLabelsAt } from "./label.sql.ts";
import { hasNo, type PromptRow } from "./target.ts";
import { indexEntry, selectEntry } from "./search.sql.ts";
import { selectVersionSummary } from "./version.sql.ts";
import { deleteYank, reviseLatest, selectYank, writeYank } from "./yank.sql.ts";

async function whoseYank(sql: Sql, prompt: PromptRow, n: number): Promise<"owner" | "moderator" | null> {
  const whose = await selectYank(sql, { promptId: prompt.id, n });
  if (whose === undefined) throw hasNo(prompt, `version ${n}`);
  return whose;
}

/** Everything that follows from which versions can be used. */
async function settle(sql: Sql, { id: promptId, latestVersion }: PromptRow): Promise<void> {
  const n = await reviseLatest(sql, promptId);
  if (n !== latestVersion) await indexEntry(sql, promptId, await selectEntry(sql, { promptId, n }));
}

export const yank: HandlerWith<"prompts.versions.yank", {}> = {
  async handle({
    params: { n },
    body: { reason = null },
    caller,
    target: prompt,
    sql,
    audit,
    server: { publicUrl },
  }) {
    const at = { promptId: prompt.id, n };
    const whose = await whoseYank(sql, prompt, n);
    // Moderators act on what is not theirs: about their own prompt they decide as its owner.
    const asModerator = caller.id !== prompt.ownerId;
    // A moderator takes over what the owner holds back, or the owner could end it again.
    if (whose === null || (whose === "owner" && asModerator)) {
      const names = await selectLabelsAt(sql, at);
      if (names.length > 0 && !asModerator) {
        throw apiError("version_labelled", {
          message: `Version ${n} is labelled ${names.join(", ")}. Move or delete what points to it first.`,
        });
      }
      // The reason for the yank is the owner's to read; the history of a label is everybody's.
      const why = `Version ${n} was yanked.`;
      await deleteLabels(sql, { promptId: prompt.id, names, reason: why, actorId: caller.id });
      await writeYank(sql, at, { reason, callerId: caller.id, asModerator });
      await settle(sql, prompt);
      for (const name of names) await audit("label.delete", prompt.id, { name, from: n });
      await audit("version.yank", prompt.id, { n, reason });
    }
    return { status: 200, json: await selectVersionSummary(sql, { ...at, publicUrl }), subject: { n } };
  },

  again: ({ target: prompt, sql, server: { publicUrl }, subject }) =>
    selectVersionSummary(sql, { promptId: prompt.id, n: subject.n, publicUrl }),
};

export const unyank: Handler<"prompts.versions.unyank"> = async ({
  target: { prompt, n, yankedAs },
  sql,
  audit,
  server: { publicUrl },
}) => {
  const at = { promptId: prompt.id, n };
  if (yankedAs !== null) {
    await deleteYank(sql, at);
    await settle(sql, prompt);
    await audit("version.unyank", prompt.id, { n });
  }
  return { status: 200, json: await selectVersionSummary(sql, { ...at, publicUrl }) };
};
