import type { Handler } from "../../kernel/handler.ts";
import { selectStats } from "./installs.sql.ts";

export const stats: Handler<"installs.stats"> = async ({ query: { window = "30d" }, target, sql }) => ({
  status: 200,
  json: await selectStats(sql, { promptId: target.id, window }),
});
