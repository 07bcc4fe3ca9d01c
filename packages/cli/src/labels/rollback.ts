import type { Prompt } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { apiError } from "@promptreg/core/errors";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import { UsageError } from "../errors.ts";
import { addressOf, getPrompt } from "../prompts/index.ts";
import { cell } from "../terminal/text.ts";
import { fromNow } from "../terminal/moments.ts";
import { reasonOfRollback, type UndoableMove, undoableMoves } from "./earlier.ts";
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
    to ?? (await nearestUsable(context, client, { prompt, name, undoable: undoableMoves(moves) }));
  await confirmMove(context, client, prompt, { name, to: target, reason: reasonOfRollback(from, reason) });
}

/** The nearest version that a label can go back to: a yanked one cannot be labelled. */
async function nearestUsable(
  { output }: Context,
  client: Client,
  { prompt, name, undoable }: { prompt: Prompt; name: string; undoable: readonly UndoableMove[] },
): Promise<number> {
  const where = versionOf(prompt, name);
  for (const { fromVersionNumber: n, toVersionNumber: to, reason, actor, at } of undoable) {
    if (n === where) continue;
    const { yanked } = await versionAt(client, addressOf(prompt), n);
    const move = to === null ? "was removed" : `moved to version ${to}`;
    const by = `${fromNow(at)} by ${cell(actor?.handle ?? "nobody")}${reason === null ? "" : `: ${cell(reason)}`}`;
    output.note(`${name} stood at version ${n} before it ${move}, ${by}`);
    if (!yanked) return n;
    output.note(`Version ${n} is yanked and cannot be labelled. Going one step further back.`);
  }
  const began = `${prompt.ref} ${name} is at its first version, ${where}`;
  const left = `No earlier version of ${name} of ${prompt.ref} can be labelled`;
  throw apiError("label_conflict", {
    message: `${undoable.length === 0 ? began : left}. \`promptreg label history\` lists its versions, and --to selects one.`,
  });
}
