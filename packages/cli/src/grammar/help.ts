import type { Command } from "commander";
import { exitCodes, exitCodesText } from "../exit-codes.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";
import type { Action } from "./grammar.ts";

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
  for (const name of names) command = command.commands.find((each) => each.name() === name) ?? refuse(name);
  command.outputHelp();

  function refuse(name: string): never {
    const known = command.createHelp().visibleCommands(command);
    const near = didYouMean(
      name,
      known.map((each) => each.name()),
    );
    program.error(`error: unknown command ${names.join(" ")}.${near}`);
  }
}
