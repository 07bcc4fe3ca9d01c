import type { Example } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import { InputError, UsageError } from "../errors.ts";
import { mediaIdsOf } from "../media/index.ts";
import type { Context } from "../settings/context.ts";
import { readInput } from "../terminal/read-input.ts";
import { isObject } from "../terminal/objects.ts";

interface AddOptions {
  title?: string;
  model?: string;
  input?: string;
  variables?: string;
  note?: string;
  media?: string[];
}

export async function addExample(
  { connect, output, stdin }: Context,
  { owner, slug, version: versionNumber, label }: PromptAddress,
  file: string | undefined,
  { input, variables, media = [], ...about }: AddOptions,
): Promise<void> {
  if (label !== undefined) throw new UsageError("Name the version by its number: owner/slug@3.");
  if (file === undefined && media.length === 0)
    throw new UsageError("Name a file with what the model answered, or --media.");
  const said = {
    ...about,
    versionNumber,
    output: file === undefined ? undefined : await readInput(file, stdin),
    input: input === undefined ? undefined : await readInput(input, stdin),
    variables: variables === undefined ? undefined : readObject(variables, await readInput(variables, stdin)),
  };
  const client = await connect();
  const body = { ...said, ...(media.length > 0 && { mediaIds: await mediaIdsOf(client, media) }) };
  // A token that may not read gets no answer.
  const added: Example | undefined = await client.examples.create({ owner, slug, body });
  const { bold } = output.colors;
  const state = added?.status === "approved" ? "is approved" : "waits for the owner of the prompt";
  output.result(added ?? null, () => (added ? `${bold(added.id)} ${state}` : "The example was added"));
}

function readObject(name: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return { ...value };
  } catch {
    // It is refused, as below.
  }
  throw new InputError(`${name === "-" ? "Standard input" : name} is not a JSON object.`);
}
