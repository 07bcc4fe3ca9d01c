import { limits } from "@promptreg/core";
import type { Handler } from "../../kernel/handler.ts";
import { selectMe } from "./users.sql.ts";

export const get: Handler<"users.me.get"> = async ({ caller, sql, server: { publicUrl } }) => ({
  status: 200,
  json: await selectMe(sql, {
    tokenId: caller.tokenId,
    publicUrl,
    limits: { prompts: limits.promptsPerAccount, webhooks: limits.webhooksPerAccount },
  }),
});
