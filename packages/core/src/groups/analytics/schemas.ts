import * as z from "zod";
import { ref, timestamp } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";

/** Every figure, in the order in which tables show them. */
export const analyticsMetrics = [
  "views",
  "uniqueViews",
  "rawReads",
  "downloads",
  "installs",
  "opens",
  "stars",
  "forks",
  "comments",
] as const;
/** Something that is counted. */
export type AnalyticsMetric = (typeof analyticsMetrics)[number];
export const AnalyticsMetric: Schema<AnalyticsMetric> = z
  .enum(analyticsMetrics)
  .meta({ id: "AnalyticsMetric" });

/** How many days are one figure of a series. A week begins on Monday. */
export type AnalyticsInterval = "day" | "week" | "month";
export const AnalyticsInterval: Schema<AnalyticsInterval> = z
  .enum(["day", "week", "month"])
  .meta({ id: "AnalyticsInterval" });

/** By what a breakdown tells figures apart. */
export type AnalyticsPart = "version" | "format" | "target" | "referrer";
export const AnalyticsPart: Schema<AnalyticsPart> = z
  .enum(["version", "format", "target", "referrer"])
  .meta({ id: "AnalyticsPart" });

/**
 * What happened to a prompt or a make. What its owner does and what known bots do is not among the first six. The last three are changes of
 * what its `counts` show: a star that is taken back is one less, so that they can be below zero.
 */
export interface AnalyticsFigures {
  /** Reads of its description: the page that people look at. */
  views: number;
  /** How many different viewers a day had. Of more days it is the sum of theirs: nobody is recognised on another day. */
  uniqueViews: number;
  /** Reads of its text, as applications make them. */
  rawReads: number;
  /** Downloads, once for a viewer and day. */
  downloads: number;
  /** Installs that were reported, once for an installation and tool in 24 hours. */
  installs: number;
  /** Links that open it in a tool, once for a viewer and day. */
  opens: number;
  stars: number;
  forks: number;
  comments: number;
}
const figures = Object.fromEntries(analyticsMetrics.map((metric) => [metric, z.int()])) as Record<
  AnalyticsMetric,
  z.ZodInt
>;
const someFigures = z.strictObject(figures).partial().shape;
export const AnalyticsFigures: Schema<AnalyticsFigures> = z
  .strictObject(figures)
  .meta({ id: "AnalyticsFigures" });

/** The figures of an interval. */
export interface AnalyticsPoint extends AnalyticsFigures {
  /** When the interval begins, in UTC. The first can begin before `from`; only days of the range are counted. */
  at: string;
}
const AnalyticsPoint: Schema<AnalyticsPoint> = z
  .strictObject({ at: timestamp, ...figures })
  .meta({ id: "AnalyticsPoint" });

/** Days in UTC, of which both ends are counted. */
export interface AnalyticsRange {
  /** `2026-11-01`. */
  from: string;
  /** `2026-11-30`. */
  to: string;
  interval: AnalyticsInterval;
}
const AnalyticsRange: Schema<AnalyticsRange> = z
  .strictObject({ from: z.iso.date(), to: z.iso.date(), interval: AnalyticsInterval })
  .meta({ id: "AnalyticsRange" });

/** The figures of one version, format, tool or referrer. */
export interface AnalyticsShare extends Partial<AnalyticsFigures> {
  /**
   * The number of the version, the name of the format or tool, or the host of the referrer. `other` has what is beyond 100 different tools or
   * referrers on one day.
   */
  key: string;
}
const AnalyticsShare: Schema<AnalyticsShare> = z
  .strictObject({ key: z.string(), ...someFigures })
  .meta({ id: "AnalyticsShare" });

/** What happened to a prompt. With `metrics`, only the figures that were asked for are there. */
export interface PromptAnalytics {
  range: AnalyticsRange;
  totals: Partial<AnalyticsFigures>;
  /** Every interval of the range, the oldest first. */
  series: (Pick<AnalyticsPoint, "at"> & Partial<AnalyticsFigures>)[];
  /** With `groupBy`: the 100 largest. What has no key, such as a view without a referrer, is in the totals alone. */
  breakdown: AnalyticsShare[];
}
export const PromptAnalytics: Schema<PromptAnalytics> = z
  .strictObject({
    range: AnalyticsRange,
    totals: z.strictObject(someFigures),
    series: z.array(z.strictObject({ at: timestamp, ...someFigures })),
    breakdown: z.array(AnalyticsShare),
  })
  .meta({ id: "PromptAnalytics" });

/** One of the prompts that were viewed and read the most. */
export interface TopPrompt extends AnalyticsFigures {
  prompt: { ref: string; title: string };
}
const TopPrompt: Schema<TopPrompt> = z
  .strictObject({ prompt: z.strictObject({ ref, title: z.string() }), ...figures })
  .meta({ id: "TopPrompt" });

/** What happened to all prompts and makes of an account. */
export interface MyAnalytics {
  range: AnalyticsRange;
  totals: AnalyticsFigures;
  /** Every interval of the range, the oldest first. */
  series: AnalyticsPoint[];
  /** The ten that were viewed and read the most; of those that nobody looked at, none. */
  topPrompts: TopPrompt[];
}
export const MyAnalytics: Schema<MyAnalytics> = z
  .strictObject({
    range: AnalyticsRange,
    totals: AnalyticsFigures,
    series: z.array(AnalyticsPoint),
    topPrompts: z.array(TopPrompt),
  })
  .meta({ id: "MyAnalytics" });
