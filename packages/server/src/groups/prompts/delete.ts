import { withdraw } from "../../kernel/changes/emit.ts";
import type { Handler } from "../../kernel/handler.ts";
import { deletePrompt } from "./delete.sql.ts";
import { countFork } from "./fork.sql.ts";

const remove: Handler<"prompts.delete"> = async ({ target: prompt, sql, server, emit, audit }) => {
  const deletedAt = await deletePrompt(sql, prompt.id);
  await withdraw(sql, server, prompt.id);
  if (prompt.visibility === "public") await countFork(sql, prompt.id, -1);
  await emit("prompt.deleted", { prompt }, { deletedAt });
  await audit("prompt.delete", prompt.id, { ref: `${prompt.ownerHandle}/${prompt.slug}` });
  return { status: 204 };
};
export { remove as delete };
