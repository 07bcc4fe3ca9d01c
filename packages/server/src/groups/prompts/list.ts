import type { PromptSummary } from "@promptreg/core";
import type { Handler } from "../../kernel/handler.ts";
import { selectPrompts } from "./list.sql.ts";
import { selectRelevant } from "./relevance.sql.ts";

export const list: Handler<"prompts.list"> = async ({ query, caller, page, sql, server: { publicUrl } }) => {
  const wanted = { query, page, caller, publicUrl };
  const sort = query.sort ?? (query.q === undefined ? "trending" : "relevance");
  const rows =
    sort === "relevance" ? await selectRelevant(sql, wanted) : await selectPrompts(sql, { ...wanted, sort });
  return page.reply<PromptSummary>(rows);
};
