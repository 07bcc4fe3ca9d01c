import type { Client, Prompt } from "@promptreg/client";
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
      `The label ${name} of ${prompt.ref} never was at version ${to}, so it cannot go back there. \`promptreg label move\` takes it anywhere.`,
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
    output.note(
      `The label was at version ${n} before, but that was yanked and cannot be labelled: going on back.`,
    );
  }
  const where = versionOf(prompt, name);
  const began = `${prompt.ref} ${name} is where it began, at version ${where}`;
  const left = `No version that ${name} of ${prompt.ref} was at before can be labelled`;
  throw apiError("label_conflict", {
    message: `${earlier.length === 0 ? began : left}. \`promptreg label history\` shows where it was, and --to goes to any of those.`,
  });
}
