import { type Command, Option } from "commander";
import {
  bareArgument,
  collect,
  countOption,
  promptArgument,
  slugArgument,
  type VersionAddress,
  versionedArgument,
} from "../grammar/arguments.ts";
import { calling } from "../grammar/operation.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { kinds, ratings, visibilities } from "../grammar/kinds.ts";

const anyVersion = "owner/slug, owner/slug@3 or owner/slug@production";

/** What is done with prompts and their versions in the registry. */
export function addPromptCommands(program: Command, action: Action): void {
  addReading(program, action);
  addComparing(program, action);
  addChanging(program, action);
}

function addReading(program: Command, action: Action): void {
  example(
    program.command("list"),
    "promptreg list\npromptreg list --public --query 'customer support' --kind chat",
  )
    .description("Lists prompts: one's own, unless it is told otherwise.")
    .option("--owner <handle>", "those of somebody else")
    .option("--public", "those of everybody that are public")
    .option("--query <words>", 'words to look for: "exact phrase", -not, or')
    .option("--tag <tag>", "that have this tag; can be repeated, for all of several", collect)
    .addOption(
      new Option("--kind <kind>", `of this kind; can be repeated (${kinds.join(", ")})`).argParser(collect),
    )
    .option("--limit <count>", "at most so many", countOption, 100)
    .action(action(async () => (await import("./list.ts")).list));

  example(program.command("show"), "promptreg show ada/support-reply@production")
    .description("Shows what a prompt is: its labels, variables, settings and files.")
    .argument("<prompt>", anyVersion, promptArgument)
    .action(action(async () => (await import("./show.ts")).show));

  example(program.command("cat"), "promptreg cat ada/support-reply@production > PROMPT.md")
    .description("Prints a file of a prompt, byte for byte into a pipe.")
    .argument("<prompt>", anyVersion, promptArgument)
    .argument("[file]", "its path (default: the entry file)")
    .action(action(async () => (await import("./cat.ts")).cat));
}

function addComparing(program: Command, action: Action): void {
  example(program.command("log"), "promptreg log ada/support-reply")
    .description("Lists the versions of a prompt, newest first.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .option("--limit <count>", "at most so many", countOption, 20)
    .action(action(async () => (await import("./log.ts")).log));
}

function addChanging(program: Command, action: Action): void {
  example(
    program.command("edit"),
    "promptreg edit ada/support-reply --title 'Support reply' --tag support --tag mail\npromptreg edit ada/support-reply --visibility public",
  )
    .description("Changes what a prompt says of itself, without its files.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .option("--title <text>", "how people call it")
    .option("--summary <text>", "what it is for")
    .option("--no-summary", "say nothing of that")
    .option("--tag <tag>", "the tags, instead of those it has; can be repeated", collect)
    .option("--no-tags", "take all tags away")
    .option("--license <expression>", "an SPDX expression, such as MIT")
    .option("--no-license", "reserve all rights")
    .addOption(new Option("--visibility <who>", "who can read it").choices(visibilities))
    .addOption(new Option("--rating <rating>", "whom it is fit for").choices(ratings))
    .action(action(async () => (await import("./edit.ts")).edit));

  example(program.command("rename"), "promptreg rename ada/support-reply customer-reply")
    .description(
      "Gives a prompt another slug. Its old address leads to the new one for ever, and stays taken.",
    )
    .argument("<prompt>", "owner/slug", bareArgument)
    .argument("<slug>", "the new one", slugArgument)
    .action(action(async () => (await import("./rename.ts")).rename));

  example(program.command("restore"), "promptreg restore ada/support-reply@2 --message 'Back to what worked'")
    .description(
      "Makes an old version the newest again, as a version of its own. Labels stay where they are.",
    )
    .argument("<prompt>", "owner/slug@2", versionedArgument)
    .option("--message <text>", "why")
    .action(action(async () => (await import("./restore.ts")).restore));

  example(program.command("yank"), "promptreg yank ada/support-reply@3 --reason 'Leaks the system prompt'")
    .description("Takes a version out of use; whoever pinned it keeps it.")
    .argument("<prompt>", "owner/slug@3", versionedArgument)
    .option("--reason <text>", "shown to you, in the log")
    .action(action(async () => (await import("./yank.ts")).yank));

  example(program.command("unyank"), "promptreg unyank ada/support-reply@3")
    .description("Takes a yank back.")
    .argument("<prompt>", "owner/slug@3", versionedArgument)
    .action(
      action(
        calling(
          "prompts.versions.unyank",
          ({ version: n, ...prompt }: VersionAddress) => ({ ...prompt, n }),
          ({ colors }, { owner, slug, version }) =>
            `${colors.bold(`${owner}/${slug}`)} version ${version} can be used again`,
        ),
      ),
    );

  example(program.command("delete"), "promptreg delete ada/support-reply")
    .description("Deletes a prompt with all that belongs to it, after saying what that is.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .action(action(async () => (await import("./delete.ts")).deletePrompt));
}
