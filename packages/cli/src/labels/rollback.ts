import type { Prompt } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { apiError } from "@promptreg/core/errors";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { UsageError } from "../errors.ts";
import { addressOf, getPrompt } from "../prompts/index.ts";
import { earlierVersions } from "./earlier.ts";
import { confirmMove, versionOf } from "./confirm-move.ts";
import { movesOf } from "./moves.ts";
import { versionAt } from "./version-at.ts";

/** How far back is read; whoever wants to go farther knows where to. */
const maxMoves = 1_000;

export async function rollBackLabel(
  context: Context,
  { owner, slug }: PromptAddress,
  name: string,
  { to, reason }: { to?: number; reason?: string },
): Promise<void> {
  const client = await context.connect();
  const prompt = await getPrompt(client, { owner, slug });
  const moves = await movesOf(client, { ...addressOf(prompt), name }, maxMoves);
  if (to !== undefined && !moves.some(({ toVersionNumber }) => toVersionNumber === to)) {
    throw new UsageError(
      `The label ${name} of ${prompt.ref} never pointed to version ${to}. \`promptreg label move\` moves it to any version.`,
    );
  }
  const from = versionOf(prompt, name);
  const target =
    to ?? (await nearestUsable(context, client, { prompt, name, earlier: earlierVersions(moves) }));
  const said = reason ?? (from === null ? undefined : `Rolled back from version ${from}`);
  await confirmMove(context, client, prompt, { name, to: target, reason: said });
}

/** The nearest version that a label can go back to: a yanked one cannot be labelled. */
async function nearestUsable(
  { output }: Context,
  client: Client,
  { prompt, name, earlier }: { prompt: Prompt; name: string; earlier: readonly number[] },
): Promise<number> {
  for (const n of earlier) {
    const { yanked } = await versionAt(client, addressOf(prompt), n);
    if (!yanked) return n;
    output.note(`Version ${n} is yanked and cannot be labelled. Going one step further back.`);
  }
  const where = versionOf(prompt, name);
  const began = `${prompt.ref} ${name} is at its first version, ${where}`;
  const left = `No earlier version of ${name} of ${prompt.ref} can be labelled`;
  throw apiError("label_conflict", {
    message: `${earlier.length === 0 ? began : left}. \`promptreg label history\` lists its versions, and --to selects one.`,
  });
}
