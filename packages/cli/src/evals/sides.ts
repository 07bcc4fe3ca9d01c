import type { Run } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { apiError } from "@promptreg/core/errors";
import type { PromptAddress } from "@promptreg/core/refs";
import { GateError, UsageError } from "../errors.ts";
import type { RunName } from "../grammar/arguments.ts";
import { refOf } from "../prompts/index.ts";
import { datasetFilter, versionOf } from "./baseline.ts";
import { howToReport, isAlike } from "./words.ts";

interface Choice {
  dataset?: string | undefined;
  model?: string | undefined;
}

/** A run that could be meant: what two runs must have in common to be compared. */
interface Candidate {
  runId: string;
  model: string;
  dataset: Run["dataset"];
}

/**
 * Finds the two runs that are to be compared. Each is named by its id, or by a version: then its latest completed run counts
 * that has the same model and dataset as the other side.
 */
export async function findSides(
  client: Client,
  [a, b]: readonly [RunName, RunName],
  choice: Choice,
): Promise<{ a: string; b: string }> {
  if ("run" in a && "run" in b) {
    if (choice.dataset !== undefined || choice.model !== undefined)
      throw new UsageError(
        "--dataset and --model choose the runs of versions. Leave them out for two run ids.",
      );
    return { a: a.run, b: b.run };
  }
  const [before, now] = await Promise.all([candidatesOf(client, a, choice), candidatesOf(client, b, choice)]);
  const pairs = before.flatMap((one) =>
    now.filter((other) => isAlike(one, other)).map((other) => [one, other]),
  );
  const [pair, other] = pairs;
  if (pair === undefined || other !== undefined) throw refusal(pairs.flatMap(([one]) => one ?? []));
  const [first, second] = pair as [Candidate, Candidate];
  return { a: first.runId, b: second.runId };
}

async function candidatesOf(client: Client, name: RunName, { dataset, model }: Choice): Promise<Candidate[]> {
  if ("run" in name) {
    const run = await client.evals.runs.get({ id: name.run });
    return [{ runId: run.id, model: run.model, dataset: run.dataset }];
  }
  const version = await numberOf(client, name);
  const id = await datasetFilter(client, name, dataset);
  const query = { prompt: refOf(name), version, model, dataset: id, limit: 100 };
  const found: Candidate[] = [];
  for await (const score of client.evals.scores({ query })) found.push(score);
  if (found.length > 0) return found;
  const chosen = dataset === undefined && model === undefined ? "" : " with this model and dataset";
  const how = howToReport(version, {
    prompt: name,
    model,
    dataset: dataset === undefined || dataset === "none" ? null : { name: dataset },
  });
  throw new GateError("notComparable", `${refOf(name)}@${version} has no completed run${chosen}. ${how}`);
}

async function numberOf(
  client: Client,
  { version, label = "latest", ...prompt }: PromptAddress,
): Promise<number> {
  const found = version ?? (await versionOf(client, prompt, label));
  if (found === null) throw apiError("not_found", { message: `${refOf(prompt)} has no label ${label}.` });
  return found;
}

function refusal(several: readonly Candidate[]): Error {
  if (several.length === 0)
    return new GateError("notComparable", "The two have no completed runs with the same model and dataset.");
  const names = several
    .slice(0, 10)
    .map(({ model, dataset }) => `model ${model}, dataset ${dataset?.name ?? "none"}`);
  return new UsageError(
    `Several runs could be meant. Choose with --model and --dataset: ${names.join("; ")}.`,
  );
}
