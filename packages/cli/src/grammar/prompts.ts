import type { Command } from "commander";
import { bareArgument, collect, promptArgument, rangeArgument } from "../arguments.ts";
import { type Action, example } from "./grammar.ts";

/** What is done with prompts and their versions. */
export function addPromptCommands(program: Command, action: Action): void {
  example(
    program.command("push"),
    "promptreg push prompts/support-reply --message 'Warmer opening' --label staging",
  )
    .description("Sends prompt folders: creates each prompt, or commits what changed as its next version.")
    .argument("<folder...>", "folders with an entry file and a promptreg.json")
    .option("--message <text>", "what changed, and why")
    .option("--label <name>", "move this label to the version; can be repeated", collect)
    .option("--dry-run", "check everything and say what would happen")
    .action(action(async () => (await import("../commands/push.ts")).push));

  example(program.command("get"), "promptreg get ada/support-reply@production > PROMPT.md")
    .description("Prints the entry file of a prompt.")
    .argument("<prompt>", "owner/slug, owner/slug@3 or owner/slug@production", promptArgument)
    .option("--path <file>", "another file of the prompt")
    .action(action(async () => (await import("../commands/get.ts")).get));

  example(program.command("diff"), "promptreg diff ada/support-reply production..latest")
    .description("Shows what changed between two versions, and whether it breaks those who fill them in.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .argument("<range>", "two versions or labels, such as 1..2", rangeArgument)
    .action(action(async () => (await import("../commands/diff.ts")).diff));
}
