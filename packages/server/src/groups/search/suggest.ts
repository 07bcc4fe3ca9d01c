import { isTooFew, mixed, mostSuggested } from "@promptreg/core/search";
import type { Handler } from "../../kernel/handler.ts";
import { type Completing, selectAlike, selectBeginning } from "./suggest.sql.ts";

export const suggest: Handler<"search.suggest"> = async ({ query, caller, server: { sql } }) => {
  const { q, type, limit } = query;
  const completing: Completing = { text: q.trim(), type, caller, most: mostSuggested };
  const beginning = await selectBeginning(sql, completing);
  const alike = isTooFew(beginning, completing.text) ? await selectAlike(sql, completing) : [];
  return { status: 200, json: { items: mixed(beginning, alike, limit), nextCursor: null }, etag: null };
};
