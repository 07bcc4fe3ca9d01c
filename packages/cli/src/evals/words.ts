import type { Run } from "@promptreg/client";
import { percent as shareText } from "./documents/figures.ts";
import { butErrors, byWeight } from "./documents/verdict.ts";
import { quoted } from "../terminal/text.ts";
import { type Address, refOf } from "../prompts/index.ts";

/** What a run is compared with: the same prompt, model and dataset. */
export interface Conditions {
  prompt: Address;
  model: string;
  dataset: Run["dataset"];
}

/** A share as people read it. */
export const percent = (share: number | null): string => (share === null ? "none" : shareText(share));

/** The pass rate of a run, what was needed, and whether it was enough but for errors. */
export const passRateText = (run: Run): string =>
  `${percent(run.summary.passRate)}${byWeight(run.summary)}, ${percent(run.threshold)} needed${butErrors(run)}`;

/** `of model m on dataset d`. */
export const whereOf = ({ model, dataset }: Pick<Conditions, "model" | "dataset">): string =>
  `of model ${model} ${dataset === null ? "without a dataset" : `on dataset ${dataset.name}`}`;

/** The command that reports a run of a version, ready for a shell. */
export function howToReport(
  version: number,
  {
    prompt,
    model,
    dataset,
  }: { prompt: Address; model?: string | undefined; dataset: { name: string } | null },
): string {
  const options = [
    ["--prompt", `${refOf(prompt)}@${version}`],
    ...(dataset === null ? [] : [["--dataset", dataset.name]]),
    ...(model === undefined ? [] : [["--model", model]]),
  ].map(([flag, value = ""]) => `${flag} ${quoted(value)}`);
  return `Report one: promptreg eval report <files…> ${options.join(" ")}`;
}

/** Whether two runs have the same model and dataset: only then can one say how the other changed. */
export const isAlike = (
  one: Pick<Run, "model" | "dataset">,
  other: Pick<Run, "model" | "dataset">,
): boolean =>
  one.model === other.model &&
  one.dataset?.id === other.dataset?.id &&
  one.dataset?.name === other.dataset?.name;
