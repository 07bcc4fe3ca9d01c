import type { Command } from "commander";
import { type Action, example } from "./grammar.ts";

/** What is done with accounts, and with what is kept of them here. */
export function addAccountCommands(program: Command, action: Action): void {
  example(program.command("whoami"), "promptreg whoami --json")
    .description("Shows the account behind the token, and what the token may do.")
    .action(action(async () => (await import("../commands/whoami.ts")).whoami));
}
