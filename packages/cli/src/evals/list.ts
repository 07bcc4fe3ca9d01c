import type { Run, RunSummary } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import type { PromptAddress } from "@promptreg/core/refs";
import { take } from "../requests/take.ts";
import { type Address, refOf } from "../prompts/index.ts";
import type { Context } from "../settings/context.ts";
import type { Output } from "../terminal/output.ts";
import { cell } from "../terminal/text.ts";
import { datasetFilter } from "./baseline.ts";
import { percent } from "./words.ts";

/** Which runs or scores of a prompt to show. */
export interface Filters {
  onVersion?: number;
  /** A name or an id; `none`: without a dataset. */
  dataset?: string;
  model?: string;
  limit: number;
}

/** Makes the query of filters. */
export async function queryOf(
  client: Client,
  prompt: Address,
  { onVersion, dataset, model, limit }: Filters,
) {
  const id = await datasetFilter(client, prompt, dataset);
  return { prompt: refOf(prompt), version: onVersion, dataset: id, model, limit: Math.min(limit + 1, 100) };
}

interface ListOptions extends Filters {
  status?: Run["status"];
  verdict?: "pass" | "fail";
}

export async function listRuns(
  { connect, output }: Context,
  prompt: PromptAddress,
  { status, verdict, ...filters }: ListOptions,
): Promise<void> {
  const client = await connect();
  const query = { ...(await queryOf(client, prompt, filters)), status, verdict };
  const { items, hasMore } = await take(client.evals.runs.list({ query }), filters.limit);
  const rows = items.map((run) => [
    output.colors.bold(run.id),
    `${run.versionNumber}`,
    cell(run.model),
    datasetText(run.dataset),
    verdictText(run, output),
    percent(run.summary.passRate),
    output.moment(run.createdAt),
  ]);
  const headings = ["run", "version", "model", "dataset", "verdict", "passed", "when"];
  output.result({ items, hasMore }, () => output.table(headings, rows));
  if (output.isJson) return;
  if (items.length === 0) output.note("No such runs.");
  output.more(hasMore);
}

/** A dataset with its revision, as `eval report` takes it: `regressions@3`. */
export const datasetText = (dataset: Run["dataset"]): string =>
  dataset === null ? "none" : cell(dataset.name) + (dataset.revision === null ? "" : `@${dataset.revision}`);

/** The verdict of a run, or why it has none. */
export function verdictText(
  { status, verdict, pinned }: Pick<Run, "status" | "verdict" | "pinned">,
  { colors: { green, red, dim } }: Pick<Output, "colors">,
): string {
  if (status !== "completed") return dim(status);
  const paint = verdict === "pass" ? green : verdict === "fail" ? red : dim;
  return paint(verdict ?? "none") + (pinned ? " (pinned)" : "");
}

/** `8 passed, 1 failed`: what there is none of is left out. */
export const countsOf = ({ passed, failed, errored, skipped }: RunSummary): string =>
  Object.entries({ passed, failed, errored, skipped })
    .flatMap(([name, count]) => (count === 0 ? [] : [`${count} ${name}`]))
    .join(", ") || "none";
