import { limits } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import { lockAccount } from "../../kernel/accounts/accounts.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import type { Handler } from "../../kernel/handler.ts";
import { showMedia } from "../../kernel/media/uses.sql.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { selectMe, updateProfile } from "./users.sql.ts";

async function replyWithMe(
  sql: Sql,
  { tokenId, role }: Caller,
  { publicUrl, accountBytes, discordKey, suggestions }: ServerContext,
) {
  const { revision, json } = await selectMe(sql, {
    tokenId,
    role,
    publicUrl,
    features: { suggestions: suggestions.length > 0, discord: discordKey !== null },
    limits: {
      prompts: limits.promptsPerAccount,
      makes: limits.makesPerAccount,
      posts: limits.postsPerAccount,
      webhooks: limits.webhooksPerAccount,
      bytes: accountBytes,
    },
  });
  return { status: 200 as const, json, revision };
}

export const get: Handler<"users.me.get"> = ({ caller, sql, server }) => replyWithMe(sql, caller, server);

export const update: Handler<"users.me.update"> = async ({ body, caller, sql, server }) => {
  const { avatarMediaId } = body;
  if (avatarMediaId !== undefined) {
    await lockAccount(sql, caller.id);
    await showMedia(sql, {
      subjectId: caller.id,
      ids: avatarMediaId === null ? [] : [avatarMediaId],
      ownerId: caller.id,
      kinds: ["image"],
      field: "/avatarMediaId",
    });
  }
  await updateProfile(sql, caller.id, body);
  return replyWithMe(sql, caller, server);
};
