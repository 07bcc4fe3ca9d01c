import { cell } from "../terminal/text.ts";
import { apiError } from "@promptreg/core/errors";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { addressOf } from "../prompts/index.ts";
import { versionOf } from "./confirm-move.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";
import { ifUnchanged } from "../requests/if-unchanged.ts";

export async function removeLabel(
  { connect, confirm, output }: Context,
  { owner, slug }: PromptAddress,
  name: string,
): Promise<void> {
  const client = await connect();
  const { data: prompt, response } = await client.prompts.get({ owner, slug }).withResponse();
  const from = versionOf(prompt, name);
  if (from === null) {
    const meant = didYouMean(name, Object.keys(prompt.labels));
    throw apiError("not_found", { message: `${prompt.ref} has no label ${name}.${meant}` });
  }
  const ref = cell(prompt.ref);
  await confirm(
    `Remove ${name} of ${ref}, now at version ${from}? Applications that use it will get nothing.`,
  );
  // What was agreed to is its removal from there: a prompt that changed meanwhile is left as it is.
  await client.prompts.labels.delete({ ...addressOf(prompt), name }, ifUnchanged(response));
  output.result(
    { ref: prompt.ref, name, status: "removed", from },
    () => `${ref} ${output.colors.bold(name)}: ${from} → none`,
  );
}
