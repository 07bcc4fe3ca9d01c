import type { AnalyticsInterval } from "@promptreg/core";
import type { PromptAddress } from "@promptreg/core/refs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { bareArgument, dayOption } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { metrics, parts } from "./figures.ts";

// Core has these too, but beside its schemas: help does not wait for those to load. One that is missing here does not compile.
const intervals: Record<AnalyticsInterval, true> = { day: true, week: true, month: true };

const examples = `promptreg analytics
promptreg analytics ada/support-reply --metric rawReads --interval week
promptreg analytics ada/support-reply --by referrer
promptreg analytics ada/support-reply --from 2026-01-01 --to 2026-12-31 --csv > 2026.csv`;

/** The registry shows the figures of makes together. */
function countedArgument(text: string): PromptAddress {
  if (!text.startsWith("make:")) return bareArgument(text);
  throw new InvalidArgumentError(
    "There are no figures of one make. All your prompts and makes together: promptreg analytics",
  );
}

/** What an account is shown of who reads its things. */
export function addAnalyticsCommand(program: Command, action: Action): void {
  example(program.command("analytics"), examples)
    .description(
      "Shows how often a prompt of yours, or all your prompts and makes together, was viewed, read, downloaded and installed.",
    )
    .argument(
      "[prompt]",
      "owner/slug; without it, all your prompts and makes together. One make alone has no figures",
      countedArgument,
    )
    .option("--from <day>", "the first day in UTC (default: 29 days before the last)", dayOption)
    .option("--to <day>", "the last day in UTC (default: today)", dayOption)
    .addOption(
      new Option("--interval <interval>", "how many days are a bar")
        .choices(Object.keys(intervals))
        .default("day"),
    )
    .addOption(
      new Option(
        "--metric <metric>",
        "what the bars show (default: views; by format downloads, by target installs)",
      ).choices(metrics),
    )
    .addOption(new Option("--by <part>", "tells the figures of a prompt apart").choices(Object.keys(parts)))
    .option("--csv", "prints all figures as CSV")
    .action(action(async () => (await import("./show.ts")).showAnalytics));
}
