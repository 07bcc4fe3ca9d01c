import type { VersionScore } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import type { Output } from "../terminal/output.ts";
import { cell } from "../terminal/text.ts";
import { datasetText, type Filters, queryOf, verdictText } from "./list.ts";
import { isAlike, percent } from "./words.ts";

export async function showScores(
  { connect, output, stdout }: Context,
  prompt: PromptAddress,
  filters: Filters,
): Promise<void> {
  const client = await connect();
  const query = await queryOf(client, prompt, filters);
  const { items, hasMore } = await take(client.evals.scores({ query }), filters.limit);
  // A line of blocks is for people: other programs read the numbers beside it.
  const isDrawn = stdout.isTTY === true;
  output.result({ items, hasMore }, () => {
    const rows = items.map((score) => [
      `${score.versionNumber}`,
      cell(score.model),
      datasetText(score.dataset),
      percent(score.passRate),
      `${score.cases}`,
      trendText(score.trend, output),
      ...(isDrawn ? [sparkline(earlier(items, score))] : []),
      verdictText({ ...score, status: "completed", pinned: score.pinnedRunId !== null }, output),
      score.runId,
    ]);
    const trend = isDrawn ? ["change", "trend"] : ["change"];
    return output.table(["version", "model", "dataset", "passed", "cases", ...trend, "verdict", "run"], rows);
  });
  if (output.isJson) return;
  if (items.length === 0) output.note("No version has a completed run.");
  output.more(hasMore);
}

function trendText(trend: number | null, { colors: { green, red } }: Output): string {
  if (trend === null) return "";
  const points = Number((trend * 100).toFixed(1));
  return points > 0 ? green(`+${points}`) : points < 0 ? red(`−${-points}`) : "0";
}

const longest = 8;

/** The pass rates of the versions up to one, with its model and dataset. */
const earlier = (all: readonly VersionScore[], score: VersionScore): number[] =>
  all
    .filter((one) => isAlike(one, score) && one.versionNumber <= score.versionNumber)
    .sort((a, b) => a.versionNumber - b.versionNumber)
    .flatMap(({ passRate }) => (passRate === null ? [] : [passRate]))
    .slice(-longest);

const blocks = "▁▂▃▄▅▆▇█";

/** Shares as blocks from 0 to 1, so that two lines can be compared. */
const sparkline = (shares: readonly number[]): string =>
  shares.map((share) => blocks[Math.min(7, Math.floor(share * 8))] ?? "").join("");
