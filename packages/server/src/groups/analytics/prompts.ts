import { analyticsMetrics } from "@promptreg/core";
import type { Handler } from "../../kernel/handler.ts";
import { selectOfPrompt } from "./figures.sql.ts";
import { rangeOf } from "./range.ts";

export const get: Handler<"analytics.prompts.get"> = async ({ query, target: prompt, sql }) => {
  const { metrics = analyticsMetrics, groupBy = null, ...asked } = query;
  const range = await rangeOf(sql, asked);
  const unwanted = analyticsMetrics.filter((metric) => !metrics.includes(metric));
  return {
    status: 200,
    etag: null,
    json: await selectOfPrompt(sql, { ...range, promptId: prompt.id, unwanted, groupBy }),
  };
};
