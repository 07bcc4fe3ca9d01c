import type { Command } from "commander";
import { bareArguments, collect, sourceArguments } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { tools } from "../grammar/kinds.ts";

const placed = (command: Command): Command =>
  command
    .option(
      "--project <folder>",
      "the project's root folder (default: the nearest with a record, else this one)",
    )
    .option("-g, --global", "for all your projects, in your home folder");

const chosen = (command: Command): Command =>
  command.option("--for <tool>", "only for this tool or format; can be repeated", collect);

/** What is done with prompts in the folders where tools look for them. */
export function addInstallCommands(program: Command, action: Action): void {
  example(
    placed(program.command("install")),
    "promptreg install ada/pr-review --for cursor --for claude\npromptreg install collection:col_01jd… --for claude\npromptreg install ada/triage@production --format openai-messages",
  )
    .description(
      "Writes prompts where a tool looks for them, and records that in promptreg.installed.json. Shows and asks before it overwrites.",
    )
    .argument(
      "<prompt...>",
      "owner/slug, owner/slug@3, owner/slug@production or collection:<id>",
      sourceArguments,
    )
    .option("--for <tool>", `a tool; can be repeated: ${tools.join(", ")}`, collect)
    .option(
      "--format <format>",
      "write this format instead; can be repeated (`promptreg download --help` lists all)",
      collect,
    )
    .option("--no-record", "do not tell the registry, which counts installs (DO_NOT_TRACK=1 does the same)")
    .action(action(async () => (await import("./install.ts")).install));

  example(
    chosen(placed(program.command("update"))),
    "promptreg update\npromptreg update ada/pr-review\npromptreg update --check",
  )
    .description("Brings installed prompts to the version that their label, or latest, points to now.")
    .argument("[installed...]", "owner/slug (default: all that is installed)", bareArguments)
    .option("--check", "write nothing; exit with 9 if one is outdated")
    .action(action(async () => (await import("./update.ts")).update));

  example(
    chosen(placed(program.command("uninstall"))),
    "promptreg uninstall ada/pr-review\npromptreg uninstall ada/pr-review --for cursor",
  )
    .description("Removes the files of installed prompts. Asks before it removes what was edited.")
    .argument("<installed...>", "owner/slug", bareArguments)
    .option("--keep-changed", "leave files that were edited")
    .action(action(async () => (await import("./uninstall.ts")).uninstall));

  example(placed(program.command("installed")), "promptreg installed\npromptreg installed --global")
    .description("Lists what is installed, and which files were edited or are missing. Asks no server.")
    .action(action(async () => (await import("./installed.ts")).installed));
}
