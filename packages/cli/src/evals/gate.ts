import type { Dataset, Run, VersionScore } from "@promptreg/client";
import { minCases } from "@promptreg/core/evals";
import type { Client } from "../requests/client.ts";
import { GateError } from "../errors.ts";
import { type Address, refOf } from "../prompts/index.ts";
import { compareRuns, findDataset } from "./baseline.ts";
import { countOf } from "../terminal/text.ts";
import { howToReport, percent } from "./words.ts";

/** What a label's next version has to show. */
export interface Demand {
  /** The name or the id of a dataset. */
  requireEval: string;
  /** Without it the version may be worse than the one before it. */
  noRegression: boolean;
  /** The share of results that must pass; without it that of the run, and nothing may have errored. */
  threshold?: number | undefined;
  /** Without it all models count that the label's present version has a run with. */
  model?: string | undefined;
  maxDrop?: number | undefined;
}

type Failure = { meaning: "regression" | "evalFailed" | "notComparable"; sentence: string };

/** What one model shows for a version. */
export interface Evidence {
  model: string;
  /** The version's latest completed run; null if it has none. */
  run: Run | null;
  /** The run of the label's present version, if they were to be compared. */
  before: VersionScore | null;
  /** The verdict of the comparison in a sentence. */
  comparison: string | null;
  failures: Failure[];
}

export interface Evidences {
  dataset: Dataset;
  /** Of the demand; null if each run has its own. */
  threshold: number | null;
  items: Evidence[];
}

interface Move {
  prompt: Address;
  /** Where the label is; null where there is none. */
  from: number | null;
  to: number;
}

/**
 * Gathers what the runs of a version say about moving a label there.
 * @throws {GateError} if neither this version nor the label's present one has a run.
 */
export async function gatherEvidence(client: Client, move: Move, demand: Demand): Promise<Evidences> {
  const { prompt, from, to } = move;
  const dataset = await findDataset(client, prompt, demand.requireEval);
  const scoresAt = (version: number) => scoresOf(client, { prompt, version, dataset, model: demand.model });
  const [scores, before] = await Promise.all([scoresAt(to), from === null ? new Map() : scoresAt(from)]);
  const known = before.size > 0 ? before : scores;
  const models = demand.model === undefined ? [...known.keys()] : [demand.model];
  if (models.length === 0) throw refusal([missing(noRun({ ...move, dataset }))]);
  const items: Evidence[] = [];
  for (const model of models) {
    const latest = scores.get(model);
    const run = latest === undefined ? null : await client.evals.runs.get({ id: latest.runId });
    const pair = { model, run, before: before.get(model) ?? null };
    items.push(await judge(client, { ...move, dataset, ...pair }, demand));
  }
  return { dataset, threshold: demand.threshold ?? null, items };
}

async function scoresOf(
  client: Client,
  {
    prompt,
    dataset,
    ...query
  }: { prompt: Address; version: number; dataset: Dataset; model?: string | undefined },
): Promise<Map<string, VersionScore>> {
  const scores = new Map<string, VersionScore>();
  const filter = { ...query, prompt: refOf(prompt), dataset: dataset.id, limit: 100 };
  for await (const score of client.evals.scores({ query: filter })) scores.set(score.model, score);
  return scores;
}

interface Case extends Move, Pick<Evidence, "model" | "run" | "before"> {
  dataset: Dataset;
}

async function judge(client: Client, one: Case, demand: Demand): Promise<Evidence> {
  const { model, run, before, to, dataset } = one;
  const shown = { model, run, before: demand.noRegression ? before : null, comparison: null };
  if (run === null) return { ...shown, failures: [missing(noRun(one))] };
  const revision = run.dataset?.revision ?? 0;
  if (revision < dataset.revision) {
    const sentence = `The latest run of version ${to} with model ${model} is of revision ${revision} of dataset ${dataset.name}, which is at revision ${dataset.revision} now.`;
    return { ...shown, failures: [missing(`${sentence} ${howTo(to, one)}`)] };
  }
  const gaps = gapsOf(run, one);
  const level = levelOf(run, demand);
  // Where cases are missing, a comparison would find the same.
  if (gaps.length > 0 || !demand.noRegression || one.from === null)
    return { ...shown, failures: [...gaps, ...level] };
  if (before === null) return { ...shown, failures: [...level, missing(noRun({ ...one, to: one.from }))] };
  const { comparison, failures } = await compare(client, { ...one, run, before }, demand);
  return { ...shown, comparison, failures: [...failures, ...level] };
}

const missing = (sentence: string): Failure => ({ meaning: "notComparable", sentence });

/** What the dataset has and the run does not. A case that was left out or skipped is no case that passed. */
function gapsOf({ summary: { cases }, model }: Run, one: Case): Failure[] {
  const { dataset, to } = one;
  if (cases !== null && cases > 0 && cases >= dataset.caseCount) return [];
  const tried =
    dataset.caseCount === 0
      ? "has no results"
      : `has results of ${cases ?? 0} of the ${dataset.caseCount} cases of dataset ${dataset.name}`;
  return [missing(`The run of version ${to} with model ${model} ${tried}. ${howTo(to, one)}`)];
}

/**
 * Whether the run is good enough by itself: by its results, even if the tool that reported it said pass. If the tool said fail,
 * it is not, unless the caller has a threshold of their own.
 */
function levelOf({ id, model, summary, threshold, verdict }: Run, demand: Demand): Failure[] {
  const { passRate, errored } = summary;
  // Without results, it has gaps, and nothing more is to be said.
  if (passRate === null)
    return summary.cases
      ? [missing(`The run of model ${model} has no pass rate: all of its cases have the weight 0.`)]
      : [];
  const needed = demand.threshold ?? threshold;
  const faults = [
    passRate < needed && `its pass rate is ${percent(passRate)}, and ${percent(needed)} are needed`,
    demand.threshold === undefined && errored > 0 && `${errored} of its results errored`,
  ].filter((fault) => typeof fault === "string");
  if (faults.length === 0 && demand.threshold === undefined && verdict !== "pass")
    faults.push(`its verdict is ${verdict ?? "none"}`);
  if (faults.length === 0) return [];
  const look = `See what failed: promptreg eval show ${id}`;
  return [
    {
      meaning: "evalFailed",
      sentence: `The run of model ${model} is not good enough: ${faults.join("; ")}. ${look}`,
    },
  ];
}

async function compare(
  client: Client,
  one: Case & { run: Run; before: VersionScore },
  { maxDrop }: Demand,
): Promise<{ comparison: string; failures: Failure[] }> {
  const { model, run, before } = one;
  const query = { a: before.runId, b: run.id, maxDrop, limit: 1 };
  const { verdict } = await compareRuns(client, query);
  const { passRate, sentences } = verdict;
  const rates =
    passRate &&
    `Version ${before.versionNumber} passed ${percent(passRate.a)} of the cases of both, version ${run.versionNumber} ${percent(passRate.b)}.`;
  const comparison = [sentences[0], rates].filter(Boolean).join(" ");
  if (verdict.outcome === "no_regression") return { comparison, failures: [] };
  const sentence = `Model ${model}: ${comparison}`;
  if (verdict.outcome === "not_comparable") {
    const { name, caseCount, revision } = one.dataset;
    const cases = Math.max(caseCount, run.summary.cases ?? 0);
    const isOutdated = (before.dataset?.revision ?? 0) < revision;
    const how =
      cases < minCases
        ? `Add cases to dataset ${name}: no run of ${countOf(cases, "case")} shows more.`
        : howTo(isOutdated ? before.versionNumber : run.versionNumber, one);
    return { comparison, failures: [missing(`${sentence} ${how}`)] };
  }
  const look = `See the cases: promptreg eval compare ${before.runId} ${run.id}`;
  return { comparison, failures: [{ meaning: "regression", sentence: `${sentence} ${look}` }] };
}

type Missing = Pick<Case, "prompt" | "dataset"> & { to: number; model?: string };

const howTo = (version: number, { prompt, dataset, model }: Missing) =>
  howToReport(version, { prompt, dataset, model });

function noRun(one: Missing): string {
  const { to, dataset, model } = one;
  const what = model === undefined ? "" : ` with model ${model}`;
  return `Version ${to} has no completed run${what} on dataset ${dataset.name}. ${howTo(to, one)}`;
}

const order = ["regression", "evalFailed", "notComparable"] as const;

function refusal(failures: readonly Failure[]): GateError {
  const meaning = order.find((one) => failures.some((failure) => failure.meaning === one)) ?? "notComparable";
  const sorted = order.flatMap((one) => failures.filter((failure) => failure.meaning === one));
  const [first, ...rest] = sorted.map(({ sentence }) => sentence);
  return new GateError(
    meaning,
    `The label was not moved. ${first}`,
    rest.map((message) => ({ path: "", message })),
  );
}

/** @throws {GateError} if a run is missing, outdated, not good enough or worse than before. */
export function refuseUnproven({ items }: Evidences): void {
  const failures = items.flatMap((item) => item.failures);
  if (failures.length > 0) throw refusal(failures);
}
