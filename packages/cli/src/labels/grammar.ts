import type { Command } from "commander";
import {
  bareArgument,
  expectOption,
  labelArgument,
  countOption,
  promptArgument,
  versionArgument,
  versionNameArgument,
  momentOption,
} from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";

const reasonOption = ["--reason <text>", "shown in the label's history and to webhooks"] as const;

/** What is done with labels. */
export function addLabelCommands(program: Command, action: Action): void {
  const label = program.command("label").description("Points names, such as production, at versions.");
  addReading(label, action);
  addMoving(label, action);

  example(
    program.command("resolve"),
    "promptreg resolve ada/support-reply@production\npromptreg resolve ada/support-reply@production --at 2h\npromptreg resolve ada/support-reply@production --at 2026-11-20T09:30:00Z --json",
  )
    .description("Shows which version an application gets, or got at another time.")
    .argument("<prompt>", "owner/slug, owner/slug@3 or owner/slug@production", promptArgument)
    .option(
      "--at <time>",
      "a time with its offset, a day (UTC), or how long ago: 90m, 2h, 3d, 1w",
      momentOption,
    )
    .action(action(async () => (await import("./resolve.ts")).resolve));
}

/** A command about one prompt's labels. */
const about = (label: Command, name: string, lines: string): Command =>
  example(label.command(name), lines).argument("<prompt>", "owner/slug", bareArgument);

function addReading(label: Command, action: Action): void {
  about(label, "list", "promptreg label list ada/support-reply")
    .description("Lists the labels of a prompt, with where they are since when.")
    .action(action(async () => (await import("./list.ts")).listLabels));

  about(label, "history", "promptreg label history ada/support-reply production --limit 5")
    .description("Lists the moves of a label, newest first; also of one that was removed.")
    .argument("<label>", "its name", labelArgument)
    .option("--limit <number>", "how many at most", countOption, 30)
    .action(action(async () => (await import("./history.ts")).showHistory));

  about(label, "blame", "promptreg label blame ada/support-reply production")
    .description("Says who brought a label to where it is, when and why, and where it was before.")
    .argument("<label>", "its name", labelArgument)
    .action(action(async () => (await import("./history.ts")).blameLabel));
}

function addMoving(label: Command, action: Action): void {
  about(
    label,
    "move",
    "promptreg label move ada/support-reply production 4 --expect 3\npromptreg label move ada/support-reply production staging --reason 'Good evals'",
  )
    .description("Moves a label to a version, or creates it there, after showing what that changes.")
    .argument("<label>", "its name", labelArgument)
    .argument("<version>", "its number, or a label that is there", versionNameArgument)
    .option(...reasonOption)
    .option(
      "--expect <version>",
      "refuse unless the label is there now, or at its aim already; none: unless it is new",
      expectOption,
    )
    .action(action(async () => (await import("./move.ts")).moveLabel));

  about(label, "remove", "promptreg label remove ada/support-reply beta")
    .description("Removes a label. Its history stays, and `label rollback` brings it back.")
    .argument("<label>", "its name", labelArgument)
    .action(action(async () => (await import("./remove.ts")).removeLabel));

  about(
    label,
    "rollback",
    "promptreg label rollback ada/support-reply production\npromptreg label rollback ada/support-reply production --to 2 --reason 'Wrong tone'",
  )
    .description("Takes a label back to where it was before.")
    .argument("<label>", "its name", labelArgument)
    .option("--to <version>", "farther back: a version where the label has been", versionArgument)
    .option(...reasonOption)
    .addHelpText(
      "after",
      "\nEach rollback goes one step farther back: what was rolled back is not gone to again. Yanked versions are passed over.",
    )
    .action(action(async () => (await import("./rollback.ts")).rollBackLabel));
}
