import { apiError } from "@promptreg/core/errors";
import type { Handler } from "../../kernel/handler.ts";
import { selectLabel } from "./label.sql.ts";
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
