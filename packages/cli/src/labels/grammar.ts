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
  shareOption,
} from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";

const reasonOption = ["--reason <text>", "the reason, shown in the history and to webhooks"] as const;

const evalHelp = `
With --require-eval, the run must be completed, of the dataset's present
revision and of all its cases. Its results count: a verdict of pass that the
tool reported does not make up for them. The move carries the ids of the runs in
its reason. This binds the command and not the registry: a move without it is
not checked.`;

/** What is done with labels. */
export function addLabelCommands(program: Command, action: Action): void {
  const label = program.command("label").description("Points labels, such as production, at versions.");
  addReading(label, action);
  addMoving(label, action);

  example(
    program.command("resolve"),
    "promptreg resolve ada/support-reply@production\npromptreg resolve ada/support-reply@production --at 2h\npromptreg resolve ada/support-reply@production --at 2026-11-20T09:30:00Z --json",
  )
    .description("Shows which version an application gets, or got at a past time.")
    .argument("<prompt>", "owner/slug, owner/slug@3 or owner/slug@production", promptArgument)
    .option("--at <time>", "a time with its offset, a day (UTC), or an age: 90m, 2h, 3d, 1w", momentOption)
    .action(action(async () => (await import("./resolve.ts")).resolve));
}

/** A command about one prompt's labels. */
const about = (label: Command, name: string, lines: string): Command =>
  example(label.command(name), lines).argument("<prompt>", "owner/slug", bareArgument);

function addReading(label: Command, action: Action): void {
  about(label, "list", "promptreg label list ada/support-reply")
    .description("Lists the labels of a prompt: version, time of the last move, and by whom.")
    .action(action(async () => (await import("./list.ts")).listLabels));

  about(label, "history", "promptreg label history ada/support-reply production --limit 5")
    .description("Lists the moves of a label, newest first. Works for removed labels too.")
    .argument("<label>", "its name", labelArgument)
    .option("-n, --limit <number>", "the most to show", countOption, 30)
    .action(action(async () => (await import("./history.ts")).showHistory));

  about(label, "follow", "promptreg label follow ada/support-reply production --json")
    .description("Shows the moves of a label as they come, until Ctrl-C. With --json, a line for each.")
    .argument("<label>", "its name", labelArgument)
    .action(action(async () => (await import("./follow.ts")).followLabel));

  about(label, "blame", "promptreg label blame ada/support-reply production")
    .description("Shows who moved a label last, when, why, and from which version.")
    .argument("<label>", "its name", labelArgument)
    .action(action(async () => (await import("./history.ts")).blameLabel));
}

function addMoving(label: Command, action: Action): void {
  about(
    label,
    "move",
    "promptreg label move ada/support-reply production 4 --expect 3\npromptreg label move ada/support-reply production staging --reason 'Good evals'\npromptreg label move ada/support-reply production 4 --require-eval regressions --no-regression --yes",
  )
    .description("Moves or creates a label, after showing what changes and asking.")
    .argument("<label>", "its name", labelArgument)
    .argument("<version>", "a version number, or a label that points to it", versionNameArgument)
    .option(...reasonOption)
    .option(
      "--expect <version>",
      "refuse unless the label points there now, or at the target already; none: refuse if it exists",
      expectOption,
    )
    .option("--require-eval <dataset>", "refuse unless the version's latest run on this dataset passed")
    .option("--no-regression", "refuse if it got worse than the label's present version, by more than noise")
    .option(
      "--threshold <share>",
      "the share that must pass, in place of the run's own and of its verdict",
      shareOption,
    )
    .option("--model <name>", "the model of the runs (default: each of the label's present version)")
    .option("--max-drop <share>", "how much worse is no regression, such as 0.05", shareOption)
    .addHelpText("after", evalHelp)
    .action(action(async () => (await import("./move.ts")).moveLabel));

  about(label, "remove", "promptreg label remove ada/support-reply beta")
    .description("Removes a label. Its history stays; `label rollback` restores it.")
    .argument("<label>", "its name", labelArgument)
    .action(action(async () => (await import("./remove.ts")).removeLabel));

  about(
    label,
    "rollback",
    "promptreg label rollback ada/support-reply production\npromptreg label rollback ada/support-reply production --to 2 --reason 'Wrong tone'",
  )
    .description("Undoes the last move of a label: it goes back to where it stood.")
    .argument("<label>", "its name", labelArgument)
    .option("--to <version>", "another version that the label pointed to before", versionArgument)
    .option(...reasonOption)
    .addHelpText(
      "after",
      "\nEach rollback undoes one more move. It passes over rollbacks, and over what they\nundid. Yanked versions are skipped.",
    )
    .action(action(async () => (await import("./rollback.ts")).rollBackLabel));
}
