import type { Change, EvalVerdict, Run } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import type { CaseComparison } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { exitCodes } from "../exit-codes.ts";
import type { RunName } from "../grammar/arguments.ts";
import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import type { Output } from "../terminal/output.ts";
import { cell } from "../terminal/text.ts";
import { compareRuns } from "./baseline.ts";
import { drawCase, sideText } from "./case.ts";
import { reasonOf } from "./documents/document.ts";
import { decimal, probability } from "./documents/figures.ts";
import { changeWords } from "./documents/words.ts";
import { forLog } from "./github.ts";
import { countsOf, datasetText } from "./list.ts";
import { findSides } from "./sides.ts";
import { percent } from "./words.ts";
import { writePages } from "./write-documents.ts";

interface CompareOptions {
  dataset?: string;
  model?: string;
  /** Cases that did not change too. */
  all?: true;
  only?: Change;
  /** One case with its outputs. */
  case?: string;
  limit: number;
  maxDrop?: number;
  failOnRegression?: true;
  html?: string;
  markdown?: string;
}

type Compared = Awaited<ReturnType<typeof compareRuns>>;

export async function compareEvals(
  context: Context,
  a: RunName,
  b: RunName,
  options: CompareOptions,
): Promise<number> {
  const client = await context.connect();
  const sides = await findSides(client, [a, b], options);
  const compared = await compareRuns(client, { ...sides, maxDrop: options.maxDrop, limit: 1 });
  if (options.case === undefined) await showCases(client, compared, options, context);
  else await showCase(client, compared, options.case, context);
  await writeDocuments(client, compared, options);
  return options.failOnRegression ? exitCodeOf(compared.verdict) : exitCodes.ok[0];
}

const meanings = { regression: "regression", no_regression: "ok", not_comparable: "notComparable" } as const;

/** What a verdict means to a script. */
const exitCodeOf = ({ outcome }: EvalVerdict): number => exitCodes[meanings[outcome]][0];

async function showCases(
  client: Client,
  compared: Compared,
  { limit, ...which }: CompareOptions,
  { output, env }: Context,
): Promise<void> {
  const { a, b, summary, verdict, areItemsVisible } = compared;
  const kinds = kindsOf(which).filter((kind) => areItemsVisible && summary[kind] > 0);
  async function* cases() {
    for (const only of kinds)
      yield* client.evals.compare({ query: { a: a.id, b: b.id, only, limit: Math.min(limit, 100) } });
  }
  const { items, hasMore } = await take(cases(), limit);
  output.result({ a, b, summary, verdict, areItemsVisible, items, hasMore }, () =>
    forLog(env, [...summaryOf(compared, output), tableOf(items, output)].filter(Boolean).join("\n\n")),
  );
  if (output.isJson) return;
  if (!areItemsVisible) output.note("Only the owner of the prompt can read the cases of these runs.");
  else if (items.length === 0) output.note("No such cases. --all shows those that did not change too.");
  if (hasMore) {
    const count = kinds.reduce((sum, kind) => sum + summary[kind], 0);
    output.note(`${limit} of ${count} cases are shown. --limit shows more of them.`);
  }
}

/** What to show, the worst first. */
function kindsOf({ all, only }: Pick<CompareOptions, "all" | "only">): Change[] {
  if (only !== undefined) return [only];
  const kinds = Object.keys(changeWords) as Change[];
  return all ? kinds : kinds.filter((kind) => kind !== "samePass" && kind !== "sameFail");
}

function summaryOf({ a, b, summary, verdict }: Compared, output: Output): string[] {
  const { bold, dim, red, green, yellow } = output.colors;
  const paint = { regression: red, no_regression: green, not_comparable: yellow }[verdict.outcome];
  const [first = "", ...rest] = verdict.sentences;
  const sideOf = ({ id, versionNumber, summary: totals }: Run) =>
    `version ${versionNumber}, ${percent(totals.passRate)} passed (${countsOf(totals)}), ${id}`;
  const fields = output.fields([
    ["prompt", bold(cell(b.prompt.ref))],
    ["before", sideOf(a)],
    ["now", sideOf(b)],
    ["model", cell(a.model === b.model ? b.model : `${a.model} → ${b.model}`)],
    ["dataset", datasetText(b.dataset)],
    ["cases", changesOf(summary)],
  ]);
  const sources = verdict.sources.length === 0 ? [] : [dim(`Methods: ${verdict.sources.join("; ")}`)];
  const words = [bold(paint(cell(first))), ...rest.map(cell), ...sources].join("\n");
  return [fields, words, metricsOf(verdict, output)];
}

const changesOf = (summary: Record<Change, number>): string =>
  (Object.keys(changeWords) as Change[])
    .flatMap((change) =>
      summary[change] === 0 ? [] : [`${summary[change]} ${changeWords[change].toLowerCase()}`],
    )
    .join(", ") || "none";

function metricsOf({ metrics }: EvalVerdict, output: Output): string {
  if (metrics === null || metrics.length === 0) return "";
  const rows = metrics.map(({ name, a, b, change, pWorse }) => [
    cell(name),
    ...[a, b, change].map(decimal),
    probability(pWorse),
  ]);
  return output.table(["score", "before", "now", "change", "p"], rows);
}

function tableOf(items: readonly CaseComparison[], output: Output): string {
  const { bold, red, green } = output.colors;
  const paints: Partial<Record<Change, (text: string) => string>> = {
    broken: red,
    errored: red,
    fixed: green,
  };
  const rows = items.map(({ caseKey, change, a, b }) => [
    (paints[change] ?? String)(changeWords[change].toLowerCase()),
    bold(cell(caseKey)),
    sideText(a),
    sideText(b),
    cell(((b && reasonOf(b.result)) ?? "").slice(0, 500)),
  ]);
  return output.table(["change", "case", "before", "now", "reason"], rows);
}

async function showCase(
  client: Client,
  { a, b, areItemsVisible }: Compared,
  caseKey: string,
  { output, stdout, env }: Context,
): Promise<void> {
  if (!areItemsVisible)
    throw apiError("forbidden", {
      message: "Only the owner of the prompt can read the cases of these runs.",
    });
  const { items } = await client.evals.compare({ query: { a: a.id, b: b.id, caseKey } });
  const [item] = items;
  if (item === undefined)
    throw apiError("not_found", {
      message: `Neither run has a case ${caseKey}. Without --case, all are listed.`,
    });
  const width = stdout.isTTY ? (stdout.columns ?? 80) : 80;
  output.result({ a, b, item }, () => forLog(env, drawCase(item, width, output)));
}

async function writeDocuments(
  client: Client,
  comparison: Compared,
  { html, markdown }: CompareOptions,
): Promise<void> {
  if (html === undefined && markdown === undefined) return;
  const { gatherDocument } = await import("./documents/gather.ts");
  await writePages(await gatherDocument(client, { run: comparison.b, comparison }), { html, markdown });
}
