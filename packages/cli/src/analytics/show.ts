import type {
  AnalyticsFigures,
  AnalyticsInterval,
  AnalyticsMetric,
  AnalyticsPart,
  AnalyticsQuery,
  MyAnalytics,
  PromptAnalytics,
} from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import { UsageError } from "../errors.ts";
import type { Context } from "../settings/context.ts";
import { bar } from "../terminal/bars.ts";
import { csvRow } from "../terminal/csv.ts";
import type { Output } from "../terminal/output.ts";
import { cell } from "../terminal/text.ts";
import { metrics, parts } from "./figures.ts";

interface Options {
  from?: string;
  to?: string;
  interval: AnalyticsInterval;
  metric?: AnalyticsMetric;
  by?: AnalyticsPart;
  csv?: true;
}

type Row = [name: string, figures: Partial<AnalyticsFigures>];

export async function showAnalytics(
  { connect, output }: Context,
  prompt: PromptAddress | undefined,
  { from, to, interval, by, metric = by ? parts[by] : "views", csv }: Options,
): Promise<void> {
  if (by !== undefined && prompt === undefined)
    throw new UsageError(
      "--by tells the figures of one prompt apart. Name the prompt: promptreg analytics owner/slug --by version",
    );
  if (csv && output.isJson) throw new UsageError("--csv and --json exclude each other. Choose one.");
  const client = await connect();
  const query: AnalyticsQuery = { from, to, interval };
  const found: PromptAnalytics | MyAnalytics =
    prompt === undefined
      ? await client.analytics.me.get({ query })
      : await client.analytics.prompts.get({
          owner: prompt.owner,
          slug: prompt.slug,
          query: { ...query, groupBy: by },
        });
  const rows: Row[] =
    by !== undefined && "breakdown" in found
      ? found.breakdown.map(({ key, ...figures }) => [key, figures])
      : found.series.map(({ at, ...figures }) => [at.slice(0, 10), figures]);
  output.result(found, () =>
    csv ? csvOf(by ?? interval, rows) : drawn(found, { rows, metric, heading: by ?? interval, output }),
  );
}

/** Spreadsheets take what begins with these for a formula, and anybody can send the name of a tool or a referrer. */
const formula = /^[=+\-@\t\r]/;

/** Every row with all figures. */
function csvOf(heading: string, rows: readonly Row[]): string {
  const lines = rows.map(([name, figures]) => [
    formula.test(name) ? `'${name}` : name,
    ...metrics.map((metric) => String(figures[metric] ?? 0)),
  ]);
  return [[heading, ...metrics], ...lines].map(csvRow).join("").trimEnd();
}

/** `uniqueViews` is `unique views`. */
const inWords = (metric: string) => metric.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function drawn(
  { range, totals, ...rest }: PromptAnalytics | MyAnalytics,
  {
    rows,
    metric,
    heading,
    output,
  }: { rows: Row[]; metric: AnalyticsMetric; heading: string; output: Output },
): string {
  const { bold, dim, cyan } = output.colors;
  const sums = metrics.map((name) => [inWords(name), String(totals[name] ?? 0)] as const);
  const most = Math.max(0, ...rows.map(([, figures]) => figures[metric] ?? 0));
  const bars = rows.map(([name, figures]) => {
    const value = figures[metric] ?? 0;
    return [cell(name), String(value), cyan(bar(value, most))];
  });
  const top = "topPrompts" in rest ? rest.topPrompts : [];
  return [
    output.fields([["from", range.from], ["to", range.to], ...sums]),
    ...(bars.length > 0
      ? [`${bold(inWords(metric))} ${dim(`by ${heading}`)}`, output.table([heading, "", ""], bars)]
      : []),
    ...(top.length > 0
      ? [
          bold("most viewed and read"),
          output.table(
            ["prompt", "views", "raw reads", "downloads", "title"],
            top.map(({ prompt, views, rawReads, downloads }) => [
              bold(cell(prompt.ref)),
              ...[views, rawReads, downloads].map(String),
              cell(prompt.title),
            ]),
          ),
        ]
      : []),
  ].join("\n\n");
}
