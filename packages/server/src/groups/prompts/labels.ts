import { apiError } from "@promptreg/core/errors";
import type { Handler } from "../../kernel/handler.ts";
import { deleteLabel, selectLabel } from "./label.sql.ts";
import { moveLabel } from "./move-label.ts";

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
  const from = await deleteLabel(sql, { promptId: prompt.id, name, actorId: caller.id });
  if (from === null) {
    throw apiError("not_found", { message: `${prompt.ownerHandle}/${prompt.slug} has no label ${name}.` });
  }
  await audit("label.delete", prompt.id, { name, from });
  return { status: 204 };
};
export { remove as delete };
