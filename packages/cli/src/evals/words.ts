import type { Result, Run } from "@promptreg/client";
import { quoted } from "../terminal/text.ts";
import { type Address, refOf } from "../prompts/index.ts";

/** What a run is compared with: the same prompt, model and dataset. */
export interface Conditions {
  prompt: Address;
  model: string;
  dataset: Run["dataset"];
}

/** A share as people read it. */
export const percent = (share: number | null): string =>
  share === null ? "none" : `${Number((share * 100).toFixed(1))} %`;

/** `of model m on dataset d`. */
export const whereOf = ({ model, dataset }: Pick<Conditions, "model" | "dataset">): string =>
  `of model ${model} ${dataset === null ? "without a dataset" : `on dataset ${dataset.name}`}`;

/** The command that reports a run of a version, ready for a shell. */
export function howToReport(
  version: number,
  { prompt, model, dataset }: Omit<Conditions, "model"> & { model?: string | undefined },
): string {
  const options = [
    ["--prompt", `${refOf(prompt)}@${version}`],
    ...(dataset === null ? [] : [["--dataset", dataset.name]]),
    ...(model === undefined ? [] : [["--model", model]]),
  ].map(([flag, value = ""]) => `${flag} ${quoted(value)}`);
  return `Report one: promptreg eval report <files…> ${options.join(" ")}`;
}

/** Why a result is bad, in the words of its tool; undefined if it does not say. */
export const reasonOf = ({ error, assertions }: Pick<Result, "error" | "assertions">): string | undefined =>
  error ?? assertions.find(({ passed }) => !passed)?.reason ?? undefined;
