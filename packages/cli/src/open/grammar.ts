import type { Command } from "commander";
import { collect, promptArgument } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";

/** Opening a prompt in another tool. */
export function addOpenCommand(program: Command, action: Action): void {
  example(
    program.command("open"),
    "promptreg open ada/pr-review\npromptreg open ada/pr-review@production --in claude --var language=Go",
  )
    .description(
      "Opens a prompt in a tool, such as ChatGPT or Cursor. The text waits there until you send it.",
    )
    .argument("<prompt>", "owner/slug, owner/slug@3 or owner/slug@production", promptArgument)
    .option("--in <tool>", "the tool (default: list the tools for this prompt)")
    .option("--var <name=value>", "the value of a variable; can be repeated", collect)
    .option("--print", "print the link instead of opening it")
    .action(action(async () => (await import("./open.ts")).open));
}
