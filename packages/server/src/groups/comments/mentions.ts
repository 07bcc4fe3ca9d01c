import { limits } from "@promptreg/core";
import type { Handler } from "../../kernel/handler.ts";
import { discussionOf } from "./discussion.ts";
import { selectMentionable } from "./mentions.sql.ts";

export const mentions: Handler<"comments.mentions"> = async ({
  query,
  target,
  sql,
  server: { publicUrl },
}) => {
  const discussion = target && discussionOf(target);
  const take = query.limit ?? limits.mentionsPerComment;
  const rows = await selectMentionable(sql, { start: query.q.toLowerCase(), discussion, take, publicUrl });
  const items = rows.map(({ item }) => item);
  return { status: 200, json: { items, nextCursor: null } };
};
