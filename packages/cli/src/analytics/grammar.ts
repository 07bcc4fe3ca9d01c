import type { AnalyticsInterval, AnalyticsMetric, AnalyticsPart } from "@promptreg/core";
import { type Command, Option } from "commander";
import { bareArgument, dayOption } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";

// Core has these too, but beside its schemas: help does not wait for those to load. One that is missing here does not compile.
const metrics: Record<AnalyticsMetric, true> = {
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
const intervals: Record<AnalyticsInterval, true> = { day: true, week: true, month: true };
const parts: Record<AnalyticsPart, true> = { version: true, format: true, target: true, referrer: true };

const examples = `promptreg analytics
promptreg analytics ada/support-reply --metric rawReads --interval week
promptreg analytics ada/support-reply --by referrer
promptreg analytics ada/support-reply --from 2026-01-01 --to 2026-12-31 --csv > 2026.csv`;

/** What an account is shown of who reads its things. */
export function addAnalyticsCommand(program: Command, action: Action): void {
  example(program.command("analytics"), examples)
    .description(
      "Shows how often a prompt of yours, or all you have, was viewed, read, downloaded and installed.",
    )
    .argument("[prompt]", "owner/slug; without it, all your prompts and makes", bareArgument)
    .option("--from <day>", "the first day in UTC (default: 29 days before the last)", dayOption)
    .option("--to <day>", "the last day in UTC (default: today)", dayOption)
    .addOption(
      new Option("--interval <interval>", "how many days are a bar")
        .choices(Object.keys(intervals))
        .default("day"),
    )
    .addOption(
      new Option("--metric <metric>", "what the bars show").choices(Object.keys(metrics)).default("views"),
    )
    .addOption(new Option("--by <part>", "tells the figures of a prompt apart").choices(Object.keys(parts)))
    .option("--csv", "prints all figures as CSV")
    .action(action(async () => (await import("./show.ts")).showAnalytics));
}
