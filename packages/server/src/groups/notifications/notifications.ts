import type { Notification } from "@promptreg/core";
import type { Handler } from "../../kernel/handler.ts";
import type { Listed } from "../../kernel/lists/page.ts";
import { countUnread, listNotifications, markSome } from "./notifications.sql.ts";

export { unsubscribe, unsubscribePage } from "./unsubscribe.ts";

export const list: Handler<"notifications.list"> = async ({ query, page, caller, sql, server }) => {
  const { unread, type } = query;
  const reader = { userId: caller.id, publicUrl: server.publicUrl };
  const rows = await listNotifications(sql, reader, { unread, type, ...page });
  const reached = rows.at(-1)?.item === null ? rows.at(-1)?.key : undefined;
  if (reached === undefined) return page.reply<Notification>(rows as Listed[]);
  return page.reply<Notification>(rows.slice(0, -1) as Listed[], { goesOn: true, from: reached });
};

export const count: Handler<"notifications.count"> = async ({ caller, sql }) => ({
  status: 200,
  json: { unread: caller === null ? 0 : await countUnread(sql, caller.id) },
  etag: null,
});

/** The most notifications that one statement marks: more would keep locks for seconds. */
const perStatement = 5_000;
const statements = 20;

/** Above every id. */
const top = "ntf_~";

export const markRead: Handler<"notifications.markRead"> = async ({ body, caller, sql }) => {
  const { ids, before, read = true } = body;
  let updated = 0;
  let below: string | null = top;
  for (let nth = 0; nth < statements && below !== null; nth++) {
    const marked: Awaited<ReturnType<typeof markSome>> = await markSome(sql, {
      userId: caller.id,
      ids,
      before,
      read,
      below,
      limit: perStatement,
    });
    updated += marked.updated;
    below = marked.below;
  }
  return { status: 200, json: { updated, unread: await countUnread(sql, caller.id) } };
};
