import type { Handler } from "../../kernel/handler.ts";
import { selectOfAccount } from "./figures.sql.ts";
import { rangeOf } from "./range.ts";

export const get: Handler<"analytics.me.get"> = async ({ query, caller, sql }) => ({
  status: 200,
  etag: null,
  json: await selectOfAccount(sql, { ...(await rangeOf(sql, query)), accountId: caller.id }),
});
