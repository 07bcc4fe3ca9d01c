import type { Client, Dataset, VersionScore } from "@promptreg/client";
import { GateError } from "../errors.ts";
import { type Address, refOf } from "../prompts/index.ts";
import { compareRuns, findDataset } from "./baseline.ts";
import { howToReport, percent } from "./words.ts";

/** What a label's next version has to show. */
export interface Demand {
  /** The name or the id of a dataset. */
  requireEval: string;
  /** Without it the version may be worse than the one before it. */
  noRegression: boolean;
  /** The share of results that must pass; without it the verdict of the run must be pass. */
  threshold?: number | undefined;
  /** Without it all models count that the label's present version has a run with. */
  model?: string | undefined;
  maxDrop?: number | undefined;
}

type Failure = { meaning: "regression" | "evalFailed" | "notComparable"; sentence: string };

/** What one model shows for a version. */
export interface Evidence {
  model: string;
  /** Null if the version has no completed run. */
  score: VersionScore | null;
  /** The run of the label's present version, if they were to be compared. */
  before: VersionScore | null;
  /** The verdict of the comparison in a sentence. */
  comparison: string | null;
  failures: Failure[];
}

export interface Evidences {
  dataset: Dataset;
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
  if (models.length === 0)
    throw refusal([{ meaning: "notComparable", sentence: noRun({ ...move, dataset }) }]);
  const items: Evidence[] = [];
  for (const model of models) {
    const pair = { model, score: scores.get(model) ?? null, before: before.get(model) ?? null };
    items.push(await judge(client, { ...move, dataset, ...pair }, demand));
  }
  return { dataset, items };
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

interface Case extends Move, Pick<Evidence, "model" | "score" | "before"> {
  dataset: Dataset;
}

async function judge(client: Client, one: Case, demand: Demand): Promise<Evidence> {
  const { model, score, before, to, dataset } = one;
  const shown = { model, score, before: demand.noRegression ? before : null, comparison: null };
  const missing = (sentence: string): Evidence => ({
    ...shown,
    failures: [{ meaning: "notComparable", sentence }],
  });
  if (score === null) return missing(noRun(one));
  const revision = score.dataset?.revision ?? 0;
  if (revision < dataset.revision) {
    return missing(
      `The latest run of version ${to} with model ${model} is of revision ${revision} of dataset ${dataset.name}, which is at revision ${dataset.revision} now. ${howTo(to, one)}`,
    );
  }
  const level = levelOf(score, demand);
  if (!demand.noRegression || one.from === null) return { ...shown, failures: level };
  if (before === null)
    return {
      ...shown,
      failures: [...level, { meaning: "notComparable", sentence: noRun({ ...one, to: one.from }) }],
    };
  const { comparison, failures } = await compare(client, { ...one, score, before }, demand);
  return { ...shown, comparison, failures: [...failures, ...level] };
}

/** Whether the run is good enough by itself. */
function levelOf({ model, passRate, verdict, runId }: VersionScore, { threshold }: Demand): Failure[] {
  const isGood = threshold === undefined ? verdict === "pass" : passRate !== null && passRate >= threshold;
  if (isGood) return [];
  const wanted = threshold === undefined ? "the verdict must be pass" : `${percent(threshold)} are needed`;
  const is = `The pass rate of model ${model} is ${percent(passRate)} and the verdict is ${verdict ?? "none"}`;
  return [
    {
      meaning: "evalFailed",
      sentence: `${is}, but ${wanted}. See what failed: promptreg eval show ${runId}`,
    },
  ];
}

async function compare(
  client: Client,
  one: Case & { score: VersionScore; before: VersionScore },
  { maxDrop }: Demand,
): Promise<{ comparison: string; failures: Failure[] }> {
  const { model, score, before } = one;
  const query = { a: before.runId, b: score.runId, maxDrop, limit: 1 };
  const { verdict } = await compareRuns(client, query);
  const { passRate, sentences } = verdict;
  const rates =
    passRate &&
    `Version ${before.versionNumber} passed ${percent(passRate.a)} of the cases of both, version ${score.versionNumber} ${percent(passRate.b)}.`;
  const comparison = [sentences[0], rates].filter(Boolean).join(" ");
  if (verdict.outcome === "no_regression") return { comparison, failures: [] };
  const sentence = `Model ${model}: ${comparison}`;
  if (verdict.outcome === "not_comparable") {
    const how = howTo(before.versionNumber, one);
    return { comparison, failures: [{ meaning: "notComparable", sentence: `${sentence} ${how}` }] };
  }
  const look = `See the cases: promptreg eval compare ${before.runId} ${score.runId}`;
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
