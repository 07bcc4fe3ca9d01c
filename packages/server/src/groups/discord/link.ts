import type { JsonText, LinkedDiscord } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { lockAccount } from "../../kernel/accounts/accounts.ts";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import { hashOf } from "./answers.ts";
import { useCode, wasUsed } from "./codes.sql.ts";
import { deleteLink, lockAccounts, selectLink, writeLink } from "./links.sql.ts";

export const put: HandlerWith<"discord.link.put", {}> = {
  lockFirst: ({ body, caller, sql, server }) =>
    lockAccounts(sql, { userId: caller.id, hash: hashOf(body.code, server) }),

  async handle({ body, caller, sql, server, audit }) {
    if (server.discordKey === null) throw apiError("discord_unavailable");
    const trying = { userId: caller.id, hash: hashOf(body.code, server) };
    const by = await useCode(sql, trying);
    if (by !== null) {
      const formerId = await writeLink(sql, caller.id, by);
      await audit("discord.link", caller.id, { discordId: by.id, formerId });
    } else if (!(await wasUsed(sql, trying))) throw apiError("invalid_code");
    const link = await selectLink(sql, caller.id);
    return { status: 200, json: `{"discord":${link}}` as JsonText<LinkedDiscord> };
  },
};

const remove: Handler<"discord.link.delete"> = async ({ caller, sql, audit }) => {
  await lockAccount(sql, caller.id);
  const discordId = await deleteLink(sql, caller.id);
  if (discordId !== null) await audit("discord.unlink", caller.id, { discordId });
  return { status: 204 };
};
export { remove as delete };
