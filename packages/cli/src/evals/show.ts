import { ApiError } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import type { Result, Run } from "@promptreg/core";
import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import type { Output } from "../terminal/output.ts";
import { cell } from "../terminal/text.ts";
import { reasonOf } from "./documents/document.ts";
import { decimal, time } from "./documents/figures.ts";
import { countsOf, datasetText, verdictText } from "./list.ts";
import { forLog } from "./github.ts";
import { passRateText } from "./words.ts";

interface ShowOptions {
  /** All results, and not only those that failed or errored. */
  results?: true;
  limit: number;
}

export async function showRun(
  { connect, output, env }: Context,
  id: string,
  { results: isAll, limit }: ShowOptions,
): Promise<void> {
  const client = await connect();
  const run = await client.evals.runs.get({ id });
  const results = await resultsOf(client, run, { isAll: isAll ?? false, limit });
  output.result({ run, results: results?.items ?? null, hasMore: results?.hasMore ?? false }, () =>
    forLog(
      env,
      [output.fields(fieldsOf(run, output)), tableOf(results?.items ?? [], output)]
        .filter(Boolean)
        .join("\n\n"),
    ),
  );
  if (output.isJson) return;
  if (results === null) output.note("Only the owner of the prompt can read the results of this run.");
  else output.more(results.hasMore, "more results");
}

/** The results of a run, the failed ones first; null if the caller may not read them. */
async function resultsOf(
  client: Client,
  { id, summary }: Run,
  { isAll, limit }: { isAll: boolean; limit: number },
): Promise<{ items: Result[]; hasMore: boolean } | null> {
  const page = { limit: Math.min(limit + 1, 100) };
  const read = (status?: Result["status"]) => client.evals.runs.results({ id, query: { ...page, status } });
  async function* bad() {
    // The totals are of the run: what it has none of is not asked for.
    if (summary.failed > 0) yield* read("failed");
    if (summary.errored > 0) yield* read("errored");
  }
  try {
    return await take(isAll ? read() : bad(), limit);
  } catch (error) {
    if (error instanceof ApiError && error.code === "forbidden") return null;
    throw error;
  }
}

function fieldsOf(run: Run, output: Output): [string, string][] {
  const { summary, source } = run;
  const { latencyMsP50: p50, latencyMsP95: p95, inputTokens, outputTokens, costUsd } = summary;
  const fields: [string, string | false | null][] = [
    ["run", output.colors.bold(run.id)],
    ["prompt", cell(`${run.prompt.ref}@${run.versionNumber}`)],
    ["model", cell(run.model)],
    ["dataset", datasetText(run.dataset)],
    ["verdict", verdictText(run, output)],
    ["error", run.error && cell(run.error)],
    ["pass rate", passRateText(run)],
    ["results", countsOf(summary)],
    ["score", summary.score !== null && decimal(summary.score)],
    [
      "latency",
      p50 !== null && `${time(p50)} median, ${p95 === null ? "none" : time(p95)} at most in 95 of 100`,
    ],
    ["tokens", inputTokens + outputTokens > 0 && `${inputTokens} in, ${outputTokens} out`],
    ["cost", costUsd > 0 && `${Number(costUsd.toFixed(6))} USD`],
    ["made", `${output.moment(run.createdAt)}${run.createdBy ? ` by ${cell(run.createdBy.handle)}` : ""}`],
    [
      "source",
      source && cell([source.tool, source.url, source.branch, source.commit].filter(Boolean).join(", ")),
    ],
  ];
  return fields.filter((field): field is [string, string] => Boolean(field[1]));
}

function tableOf(results: readonly Result[], output: Output): string {
  const { red, dim, green } = output.colors;
  const paints = { passed: green, failed: red, errored: red, skipped: dim };
  const rows = results.map((result) => [
    paints[result.status](result.status),
    output.colors.bold(cell(result.caseKey)),
    result.score === null ? "" : decimal(result.score),
    cell((reasonOf(result) ?? "").slice(0, 500)),
  ]);
  return output.table(["status", "case", "score", "reason"], rows);
}
