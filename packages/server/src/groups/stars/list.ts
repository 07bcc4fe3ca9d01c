import type { StarredPrompt } from "@promptreg/core";
import type { Handler } from "../../kernel/handler.ts";
import { listStars } from "./stars.sql.ts";

export const list: Handler<"stars.list"> = async ({ query: { kind }, page, caller, sql, server }) => {
  const viewing = { caller, publicUrl: server.publicUrl };
  return page.reply<StarredPrompt>(await listStars(sql, viewing, { kind, ...page }));
};
