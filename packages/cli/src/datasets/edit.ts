import type { Dataset } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import { UsageError } from "../errors.ts";
import type { Context } from "../settings/context.ts";
import { countOf } from "../terminal/text.ts";
import { confirmPublic, findDataset, titleOf } from "./find.ts";

/** False is what `--no-description` says. */
interface Options {
  name?: string;
  description?: string | false;
  visibility?: Dataset["visibility"];
}

export async function editDataset(
  { connect, confirm, output }: Context,
  prompt: PromptAddress,
  name: string,
  { description, ...others }: Options,
): Promise<void> {
  const change = {
    ...others,
    ...(description !== undefined && { description: description === false ? null : description }),
  };
  if (Object.keys(change).length === 0)
    throw new UsageError("Name what to change, such as --name, --description or --visibility.");
  const client = await connect();
  const { dataset, unchanged } = await findDataset(client, prompt, name);
  if (change.visibility === "public" && dataset.visibility !== "public") {
    await confirmPublic({ output, confirm }, dataset);
  }
  const edited = await client.evals.datasets.update({ id: dataset.id, body: change }, unchanged);
  output.result(edited ?? null, () => `${output.colors.bold(titleOf({ ...dataset, ...change }))} is edited`);
}

export async function deleteDataset(
  { connect, confirm, output }: Context,
  prompt: PromptAddress,
  name: string,
): Promise<void> {
  const client = await connect();
  const { dataset, unchanged } = await findDataset(client, prompt, name);
  const title = titleOf(dataset);
  const more = dataset.visibility === "public" ? " Others can no longer read their outputs." : "";
  await confirm(`Delete ${title} with its ${countOf(dataset.caseCount, "case")}? Its runs stay.${more}`);
  await client.evals.datasets.delete({ id: dataset.id }, unchanged);
  output.result({ id: dataset.id, deleted: true }, () => `${output.colors.bold(title)} is deleted`);
}
