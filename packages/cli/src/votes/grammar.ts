import type { VoteTarget } from "@promptreg/core";
import { type Command, Option } from "commander";
import { type Action, example } from "../grammar/grammar.ts";
import type { VoteOptions } from "./vote.ts";

/**
 * The verb `vote` of a noun.
 * @param one its argument: what it is called, what to write, and the reader.
 */
export function addVoteCommand(
  noun: Command,
  action: Action,
  {
    type,
    id,
    one,
  }: { type: VoteTarget["type"]; id: string; one: readonly [string, string, (text: string) => string] },
): void {
  const command = `promptreg ${type} vote ${id}`;
  example(noun.command("vote"), `${command}\n${command} --down\n${command} --undo`)
    .description("Votes, or changes your vote. Nobody votes on what they made themselves.")
    .argument(...one)
    .option("--down", "vote against it")
    .addOption(new Option("--undo", "take your vote back").conflicts("down"))
    .action(
      action(async () => {
        const { vote } = await import("./vote.ts");
        return (context, on: string, options: VoteOptions) => vote(context, { type, id: on }, options);
      }),
    );
}
