import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import { deleteLabels, selectLabelsAt } from "./label.sql.ts";
import { hasNo, type PromptRow } from "./target.ts";
import { indexEntry, selectEntry } from "./search.sql.ts";
import { selectVersionSummary } from "./version.sql.ts";
import { deleteYank, reviseLatest, selectYank, writeYank } from "./yank.sql.ts";
import { owns } from "../../kernel/accounts/ownership.ts";

async function whoseYank(sql: Sql, prompt: PromptRow, n: number): Promise<"owner" | "moderator" | null> {
  const whose = await selectYank(sql, { promptId: prompt.id, n });
  if (whose === undefined) throw hasNo(prompt, `version ${n}`);
  return whose;
}

/** Updates the latest version of a prompt, and indexes its entry file. */
async function updateLatest(sql: Sql, { id: promptId, latestVersion }: PromptRow): Promise<void> {
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
    // Moderators act as owners on their own prompts.
    const asModerator = !owns(caller, prompt);
    // A moderator's yank replaces the owner's. Otherwise the owner could unyank the version.
    if (whose === null || (whose === "owner" && asModerator)) {
      const names = await selectLabelsAt(sql, at);
      if (names.length > 0 && !asModerator) {
        throw apiError("version_labelled", {
          message: `Version ${n} has the labels: ${names.join(", ")}. Move or delete them first.`,
        });
      }
      // Only the owner can read the reason of the yank. Everybody can read the history of a label.
      const why = `Version ${n} was yanked.`;
      await deleteLabels(sql, { promptId: prompt.id, names, reason: why, actor: caller });
      await writeYank(sql, at, { reason, callerId: caller.id, asModerator });
      await updateLatest(sql, prompt);
      for (const name of names) await audit("label.delete", prompt.id, { name, from: n });
      await audit("version.yank", prompt.id, { n, reason });
    }
    return { status: 200, json: await selectVersionSummary(sql, { ...at, publicUrl }), subject: { n } };
  },

  replay: ({ target: prompt, sql, server: { publicUrl }, subject }) =>
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
    await updateLatest(sql, prompt);
    await audit("version.unyank", prompt.id, { n });
  }
  return { status: 200, json: await selectVersionSummary(sql, { ...at, publicUrl }) };
};
