import type { Run } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import { InputError, UsageError } from "../errors.ts";
import type { Baseline } from "../grammar/arguments.ts";
import type { Context } from "../settings/context.ts";
import type { CheckOptions, Report } from "./results.ts";
import { sourceOf } from "./source.ts";
import type { DocumentOptions } from "./write-documents.ts";

/** A dataset by its name or id, at a revision. */
export interface DatasetName {
  name: string;
  revision?: number;
}

/** What is said of a report on the command line. */
export interface ReportOptions extends CheckOptions, DocumentOptions {
  prompt: PromptAddress;
  dataset?: DatasetName;
  model?: string;
  threshold?: number;
  externalId?: string;
  verdict?: "pass" | "fail";
  baseline?: Baseline;
  failOnRegression?: boolean;
  maxDrop?: number;
}

/** The run that is asked for. */
export function bodyOf(report: Report, options: ReportOptions, env: Context["env"]) {
  const { prompt, dataset, externalId, threshold = report.threshold } = options;
  return {
    prompt: `${prompt.owner}/${prompt.slug}`,
    versionNumber: prompt.version,
    label: prompt.label,
    dataset: dataset?.name,
    datasetRevision: dataset?.revision,
    model: options.model ?? modelOf(report),
    threshold,
    externalId,
    source: sourceOf(env, report.tools),
  };
}

function modelOf({ models: [model, other] }: Report): string {
  if (model === undefined) throw new UsageError("Name the model: --model, or model in the file.");
  if (other === undefined) return model;
  throw new UsageError(
    `The files name several models, such as ${model} and ${other}. Report each as a run of its own, or name one: --model.`,
  );
}

/** An external id may lead to a run of something else: nothing is added to that. */
export function refuseOther(
  { id, model, versionNumber, dataset }: Run,
  body: { model: string; versionNumber?: number | undefined; dataset?: string | undefined },
): void {
  const isOther =
    model !== body.model ||
    (body.versionNumber ?? versionNumber) !== versionNumber ||
    (body.dataset !== undefined && body.dataset !== dataset?.name && body.dataset !== dataset?.id);
  if (!isOther) return;
  throw new InputError(
    `The --external-id belongs to the run ${id}, which is of another version, model or dataset. Nothing was added. Use another id.`,
  );
}
