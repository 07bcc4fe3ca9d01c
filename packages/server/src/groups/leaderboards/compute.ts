import type { Trend } from "../../kernel/group.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { beginCount, forgetCounts, storeBoards } from "./boards.sql.ts";
import { scoreAll } from "./score.sql.ts";

/**
 * Counts all boards, unless another worker does, or did in the last half hour. In one transaction: readers see the former boards until all new
 * ones are there, and of a count that breaks off nothing is left.
 */
export const computeBoards = ({ sql }: Pick<ServerContext, "sql">, trends: readonly Trend[]) =>
  sql.begin(async (sql) => {
    const at = await beginCount(sql);
    if (at === null) return;
    await scoreAll(sql, trends, at);
    await storeBoards(sql, at);
    await forgetCounts(sql);
  });
