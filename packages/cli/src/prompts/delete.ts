import { cell } from "../terminal/text.ts";
import type { Prompt } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { addressOf } from "./get-prompt.ts";
import { labelsText } from "./list.ts";
import { ifUnchanged } from "../requests/if-unchanged.ts";

export async function deletePrompt(
  { connect, confirm, output }: Context,
  { owner, slug }: PromptAddress,
): Promise<void> {
  const client = await connect();
  const { data: prompt, response } = await client.prompts.get({ owner, slug }).withResponse();
  await confirm(
    `Delete ${prompt.ref}, ${cell(prompt.title)}, ${lossesOf(prompt)}? Applications can no longer get it, and its address stays taken.`,
  );
  // What was agreed to is the loss of that: a prompt that changed meanwhile is left as it is.
  await client.prompts.delete(addressOf(prompt), ifUnchanged(response));
  output.result(
    { ref: prompt.ref, deleted: true },
    () => `${output.colors.bold(cell(prompt.ref))} is deleted`,
  );
}

function lossesOf({ latestVersion, labels, counts }: Prompt): string {
  const { stars, forks, watchers } = counts;
  const losses = [
    latestVersion === null ? "" : `its versions up to ${latestVersion}`,
    Object.keys(labels).length === 0 ? "" : `its labels (${cell(labelsText(labels))})`,
    ...Object.entries({ stars, forks, watchers }).map(([name, count]) =>
      count === 0 ? "" : `${count} ${name}`,
    ),
  ].filter(Boolean);
  return losses.length === 0 ? "which has no versions" : `with ${losses.join(", ")}`;
}
