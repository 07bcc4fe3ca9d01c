import type { Prompt } from "@promptreg/client";
import { apiError } from "@promptreg/core/errors";
import type { PromptAddress, VersionName } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { UsageError } from "../errors.ts";
import {
  type Demand,
  drawEvidence,
  forLog,
  type Evidences,
  gatherEvidence,
  refuseUnproven,
  withEvidence,
} from "../evals/index.ts";
import { addressOf, getPrompt } from "../prompts/index.ts";
import { confirmMove, versionOf } from "./confirm-move.ts";
import { withoutVersion } from "../requests/without-version.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";

/** What the evals of the version have to show. */
interface EvalOptions {
  requireEval?: string;
  /** False with `--no-regression`, as commander reads it. */
  regression: boolean;
  threshold?: number;
  model?: string;
  maxDrop?: number;
}

interface MoveOptions extends EvalOptions {
  reason?: string;
  expect?: number | "none";
}

export async function moveLabel(
  context: Context,
  { owner, slug }: PromptAddress,
  name: string,
  target: VersionName,
  { reason, expect, ...wanted }: MoveOptions,
): Promise<void> {
  const demand = demandOf(wanted);
  const client = await context.connect();
  const prompt = await getPrompt(client, { owner, slug });
  const to = numberOf(prompt, target);
  const from = versionOf(prompt, name);
  // Where it is to be is never a surprise: what ran before can run again.
  if (expect !== undefined && from !== to && expect !== (from ?? "none")) {
    const is = from === null ? "does not exist" : `is at version ${from}`;
    const not =
      expect === "none"
        ? "but --expect none requires that it does not"
        : `but --expect requires version ${expect}`;
    throw apiError("label_conflict", { message: `The label ${name} of ${prompt.ref} ${is}, ${not}.` });
  }
  // A label that is there already is not moved, so there is nothing to prove.
  if (demand === null || from === to) return confirmMove(context, client, prompt, { name, to, reason });
  const evidence = await gatherEvidence(client, { prompt: addressOf(prompt), from, to }, demand);
  showEvidence(context, evidence);
  refuseUnproven(evidence);
  if (demand.noRegression && from === null)
    context.output.note(`The label ${name} is new. There is no version to compare with.`);
  const said = withEvidence(reason, evidence);
  await confirmMove(context, client, prompt, { name, to, reason: said, evidence });
}

function showEvidence({ output, stdout, env }: Context, evidence: Evidences): void {
  // A log of CI has no width, and people read it too.
  const width = stdout.isTTY ? (stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
  output.draw((brush) => forLog(env, drawEvidence(evidence, width, brush)));
}

function demandOf({ requireEval, regression, threshold, model, maxDrop }: EvalOptions): Demand | null {
  const noRegression = !regression;
  if (maxDrop !== undefined && !noRegression) throw new UsageError("--max-drop needs --no-regression.");
  if (requireEval !== undefined) return { requireEval, noRegression, threshold, model, maxDrop };
  if (noRegression || threshold !== undefined || model !== undefined)
    throw new UsageError("--no-regression, --threshold and --model need --require-eval <dataset>.");
  return null;
}

function numberOf(prompt: Prompt, target: VersionName): number {
  if ("version" in target) return target.version;
  const n = target.label === "latest" ? prompt.latestVersion : versionOf(prompt, target.label);
  if (n !== null) return n;
  if (target.label === "latest") throw withoutVersion(prompt.ref);
  const meant = didYouMean(target.label, ["latest", ...Object.keys(prompt.labels)]);
  throw apiError("not_found", { message: `${prompt.ref} has no label ${target.label}.${meant}` });
}
