import type { Dataset } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { apiError } from "@promptreg/core/errors";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";
import { cell, countOf } from "../terminal/text.ts";
import { type IfUnchanged, ifUnchanged } from "../requests/if-unchanged.ts";

/** A dataset, and the header with which a change is refused if it changed since. */
export interface FoundDataset {
  dataset: Dataset;
  unchanged: IfUnchanged;
}

export const refOf = ({ owner, slug }: PromptAddress): string => `${owner}/${slug}`;

/** The dataset of a prompt with this name; null if there is none. A prompt has fewer than a page. */
async function look(client: Client, prompt: PromptAddress, name: string) {
  const { items } = await client.evals.datasets.list({ query: { prompt: refOf(prompt), limit: 100 } });
  return { id: items.find((one) => one.name === name)?.id, names: items.map((one) => one.name) };
}

/** @throws {ApiError} `not_found` with the name that was probably meant. */
export async function findDataset(
  client: Client,
  prompt: PromptAddress,
  name: string,
): Promise<FoundDataset> {
  const { id, names } = await look(client, prompt, name);
  if (id === undefined) {
    const message = `${refOf(prompt)} has no dataset "${name}".${didYouMean(name, names)}`;
    throw apiError("not_found", { message });
  }
  const { data: dataset, response } = await client.evals.datasets.get({ id }).withResponse();
  return { dataset, unchanged: ifUnchanged(response) };
}

export const hasDataset = async (client: Client, prompt: PromptAddress, name: string): Promise<boolean> =>
  (await look(client, prompt, name)).id !== undefined;

/** How people read which dataset it is. */
export const titleOf = ({ prompt, name }: Pick<Dataset, "prompt" | "name">): string =>
  `${cell(prompt.ref)} ${cell(JSON.stringify(name))}`;

/** To publish is a decision: says what others see from then on, and asks. */
export async function confirmPublic(
  { output, confirm }: Pick<Context, "output" | "confirm">,
  { prompt, name, caseCount }: Pick<Dataset, "prompt" | "name" | "caseCount">,
): Promise<void> {
  const cases = caseCount === 0 ? "its cases" : `its ${countOf(caseCount, "case")}`;
  output.note(`Whoever sees ${prompt.ref} can then read ${cases}, and the outputs of all runs with it.`);
  await confirm(`Make the dataset ${titleOf({ prompt, name })} public?`);
}
