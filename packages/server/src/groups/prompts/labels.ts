import { apiError, invalid } from "@promptreg/core/errors";
import type { Handler } from "../../kernel/handler.ts";
import { deleteLabels, selectLabel, selectLabels, selectMoves } from "./label.sql.ts";
import { moveLabel } from "./move-label.ts";
import { hasNo } from "./target.ts";

export const put: Handler<"prompts.labels.put"> = async ({
  params,
  body,
  caller,
  target: prompt,
  ...context
}) => {
  const { sql, emit, audit, server } = context;
  if (prompt.status === "draft") throw apiError("prompt_not_published");
  const { versionNumber, reason = null, expectedVersionNumber: expected } = body;
  const { name } = params;
  const outcome = await moveLabel(
    { sql, emit, audit, caller, prompt },
    { name, versionNumber, reason, expected },
  );
  return {
    status: outcome === "created" ? 201 : 200,
    json: await selectLabel(sql, { promptId: prompt.id, name, publicUrl: server.publicUrl }),
  };
};

const remove: Handler<"prompts.labels.delete"> = async ({ params, caller, target: prompt, sql, audit }) => {
  const { name } = params;
  const [deleted] = await deleteLabels(sql, { promptId: prompt.id, names: [name], actor: caller });
  if (deleted === undefined && name === "latest")
    throw invalid("/name", "The label latest is computed, and cannot be deleted.");
  if (deleted === undefined) throw hasNo(prompt, `label ${name}`);
  await audit("label.delete", prompt.id, { name, from: deleted.from });
  return { status: 204 };
};
export { remove as delete };

export const list: Handler<"prompts.labels.list"> = async ({ target: prompt, page, sql, server }) =>
  page.reply(await selectLabels(sql, { promptId: prompt.id, publicUrl: server.publicUrl, page }));

export const history: Handler<"prompts.labels.history"> = async ({
  params: { name },
  caller,
  target: prompt,
  page,
  sql,
  server: { publicUrl },
}) => {
  if (name === "latest") {
    throw invalid("/name", "The label latest is computed and has no history. List the versions instead.");
  }
  const moves = await selectMoves(sql, {
    promptId: prompt.id,
    name,
    viewerId: caller?.id ?? null,
    publicUrl,
    page,
  });
  if (moves.length === 0 && page.after === null) throw hasNo(prompt, `label ${name}, and never had`);
  return page.reply(moves);
};
