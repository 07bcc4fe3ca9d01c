import * as z from "zod";
import { day } from "../../language/fields.ts";
import { repeatable } from "../../language/list.ts";
import type { Schema } from "../../language/schema.ts";
import { json, op } from "../../operations/operation.ts";
import { PromptPath } from "../prompts/schemas.ts";
import {
  AnalyticsInterval,
  AnalyticsMetric,
  analyticsMetrics,
  AnalyticsPart,
  MyAnalytics,
  PromptAnalytics,
} from "./schemas.ts";

/** How many days a range can have. */
export const analyticsDays = 400;

/** Which days to look at. */
export interface AnalyticsQuery {
  /** The first day, in UTC: `2026-11-01`. Default: 29 days before the last. */
  from?: string;
  /** The last day, in UTC. Default: today. */
  to?: string;
  /** Default: `day`. */
  interval?: AnalyticsInterval;
}
const range = {
  from: day.optional(),
  to: day.optional(),
  interval: AnalyticsInterval.optional(),
};
const AnalyticsQuery: Schema<AnalyticsQuery> = z.strictObject(range);

/** Which days and figures to look at. */
export interface PromptAnalyticsQuery extends AnalyticsQuery {
  /** Repeat it for several figures. Default: all. */
  metrics?: AnalyticsMetric[];
  /** Tells the figures of the range apart, in `breakdown`. */
  groupBy?: AnalyticsPart;
}
const PromptAnalyticsQuery: Schema<PromptAnalyticsQuery> = z.strictObject({
  ...range,
  metrics: repeatable(AnalyticsMetric, { max: analyticsMetrics.length }).optional(),
  groupBy: AnalyticsPart.optional(),
});

const promptAnalytics = {
  /** Gets how often a prompt of yours was viewed, read, downloaded, installed, opened and liked, in at most 400 days. */
  get: op({
    route: "GET /prompts/{owner}/{slug}/analytics",
    access: { auth: "required", scope: "read", on: { prompt: ["owner"] } },
    params: PromptPath,
    query: PromptAnalyticsQuery,
    results: { 200: json(PromptAnalytics) },
  }),
};

const myAnalytics = {
  /** Gets the same of all your prompts and makes together, and which prompts were viewed and read the most. */
  get: op({
    route: "GET /me/analytics",
    access: { auth: "required", scope: "read" },
    query: AnalyticsQuery,
    results: { 200: json(MyAnalytics) },
  }),
};

export const analytics = { prompts: promptAnalytics, me: myAnalytics };
