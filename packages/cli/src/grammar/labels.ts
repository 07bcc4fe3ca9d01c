import type { Command } from "commander";
import { bareArgument, expectOption, versionArgument } from "../arguments.ts";
import { type Action, example } from "./grammar.ts";

/** What is done with labels. */
export function addLabelCommands(program: Command, action: Action): void {
  const label = program.command("label").description("Points names, such as production, at versions.");
  example(label.command("move"), "promptreg label move ada/support-reply production 4 --expect 3")
    .description("Moves a label to a version, or creates it there.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .argument("<label>", "its name")
    .argument("<version>", "the number of the version", versionArgument)
    .option("--reason <text>", "shown in the label's history and to webhooks")
    .option(
      "--expect <version>",
      "refuse unless the label is there now; none: unless it is new",
      expectOption,
    )
    .action(action(async () => (await import("../commands/label-move.ts")).moveLabel));
}
