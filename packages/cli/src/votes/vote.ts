import type { Voted, VoteTarget } from "@promptreg/core";
import type { Context } from "../settings/context.ts";

/** How to vote: up, unless it is said otherwise. */
export interface VoteOptions {
  down?: boolean;
  undo?: boolean;
}

export async function vote(
  { connect, output }: Context,
  target: VoteTarget,
  { down, undo }: VoteOptions,
): Promise<void> {
  const client = await connect();
  const voted: Voted | undefined = undo
    ? await client.votes.delete({ query: { target: `${target.type}:${target.id}` } })
    : await client.votes.put({ body: { target, value: down ? -1 : 1 } });
  // A token that may not read gets no answer.
  const now = voted ? `: ${voted.up} up, ${voted.down} down` : "";
  const state = undo ? "has no vote of yours" : "has your vote";
  output.result(voted ?? null, () => `${output.colors.bold(target.id)} ${state}${now}`);
}
