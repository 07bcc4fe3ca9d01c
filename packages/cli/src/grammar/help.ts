import type { Command } from "commander";
import { exitCodes, exitCodesText } from "../exit-codes.ts";
import type { Action } from "./grammar.ts";
import { commandOf, unknownCommand } from "./habits.ts";

/** What tells of all commands: `help` and `exit-codes`. */
export function addHelpCommands(program: Command, action: Action): void {
  program
    .command("help")
    .description("Shows how to use a command.")
    .argument("[command...]", "for example: label move")
    .action((names: string[]) => helpOf(program, names));

  // `promptreg help exit-codes` shows the list too.
  const list = program.command("exit-codes").description("Lists the exit codes and their meanings.");
  list.helpInformation = () => `${exitCodesText}\n`;
  list.action(
    action(
      async () =>
        async ({ output }) =>
          output.result(exitCodes, () => exitCodesText),
    ),
  );
}

function helpOf(program: Command, names: readonly string[]): void {
  let command = program;
  for (const name of names)
    command = commandOf(command, name) ?? program.error(`error: ${unknownCommand(command, name)}`);
  command.outputHelp();
}
