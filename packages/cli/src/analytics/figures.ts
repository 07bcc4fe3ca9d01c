import type { AnalyticsMetric, AnalyticsPart } from "@promptreg/core";

// Core has these too, but beside its schemas: help does not wait for those to load. One that is missing here does not compile.

/** Every figure, in the order in which they are shown. */
const figures: Record<AnalyticsMetric, true> = {
  views: true,
  uniqueViews: true,
  rawReads: true,
  downloads: true,
  installs: true,
  opens: true,
  stars: true,
  forks: true,
  comments: true,
};
export const metrics = Object.keys(figures) as AnalyticsMetric[];

/** By what figures are told apart, and the one that is shown then. Downloads alone have a format, and no view has a tool. */
export const parts: Record<AnalyticsPart, AnalyticsMetric> = {
  version: "views",
  format: "downloads",
  target: "installs",
  referrer: "views",
};
