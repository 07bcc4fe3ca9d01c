import { quoted } from "../terminal/text.ts";
import { refOf } from "../prompts/index.ts";
import type { Conditions } from "./baseline.ts";

/** `of model m on dataset d`. */
export const whereOf = ({ model, dataset }: Pick<Conditions, "model" | "dataset">): string =>
  `of model ${model} ${dataset === null ? "without a dataset" : `on dataset ${dataset.name}`}`;

/** The command that reports a run of a version, ready for a shell. */
export function howToReport(version: number, { prompt, model, dataset }: Conditions): string {
  const options = [
    ["--prompt", `${refOf(prompt)}@${version}`],
    ...(dataset === null ? [] : [["--dataset", dataset.name]]),
    ["--model", model],
  ].map(([flag, value = ""]) => `${flag} ${quoted(value)}`);
  return `Report one: promptreg eval report <files…> ${options.join(" ")}`;
}
