import type { Tag } from "@promptreg/core";
import type { Handler } from "../../kernel/handler.ts";
import { selectTag, selectTags } from "./tags.sql.ts";

export const list: Handler<"tags.list"> = async ({ query, page, sql }) =>
  page.reply<Tag>(await selectTags(sql, query, page));

export const get: Handler<"tags.get"> = async ({ target, caller, sql, server: { publicUrl } }) => ({
  status: 200,
  json: await selectTag(sql, { ...target, viewing: { caller, publicUrl } }),
});
