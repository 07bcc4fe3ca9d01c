import { analyticsDays, type AnalyticsQuery, type AnalyticsRange } from "@promptreg/core";
import { invalid } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { selectRange } from "./figures.sql.ts";

/**
 * The days that a query asks for.
 * @throws {ApiError} `validation_failed` if they are in the wrong order, or too many.
 */
export async function rangeOf(sql: Sql, query: AnalyticsQuery): Promise<AnalyticsRange> {
  const { days, ...range } = await selectRange(sql, query);
  const { from, to } = range;
  if (days < 1) throw invalid("/from", `The first day, ${from}, is after the last, ${to}.`);
  if (days > analyticsDays)
    throw invalid(
      "/from",
      `From ${from} to ${to} are ${days} days. Ask for at most ${analyticsDays} at once.`,
    );
  return range;
}
