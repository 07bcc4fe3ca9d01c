import type { PromptAddress } from "@promptreg/core/refs";
import { type Command, Option } from "commander";
import {
  bareArgument,
  collect,
  countOption,
  kindsOption,
  promptArgument,
  slugArgument,
  versionArgument,
  type VersionAddress,
  versionAt,
} from "../grammar/arguments.ts";
import { calling } from "../grammar/operation.ts";
import { type Action, example, type Work } from "../grammar/grammar.ts";
import { formats, ratings, visibilities } from "../grammar/kinds.ts";

const anyVersion = "owner/slug, owner/slug@3 or owner/slug@production";

const ofVersion = (command: Command): Command =>
  command
    .argument("<prompt>", "owner/slug@3", promptArgument)
    .argument("[version]", "its number, where the address has none", versionArgument);

const aboutVersion =
  <Options>(work: Work<[VersionAddress, Options]>): Work<[PromptAddress, number | undefined, Options]> =>
  (context, prompt, n, options) =>
    work(context, versionAt(prompt, n), options);

const unyank = calling(
  "prompts.versions.unyank",
  ({ version: n, ...prompt }: VersionAddress) => ({ ...prompt, n }),
  ({ colors }, { owner, slug, version }) =>
    `${colors.bold(`${owner}/${slug}`)} version ${version} is no longer yanked`,
);

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
    .description("Lists your own prompts, or those of --owner or --public.")
    .option("--owner <handle>", "prompts of this account")
    .option("--public", "all public prompts")
    .option("--query <words>", 'search words: "exact phrase", -not, or')
    .option("--tag <tag>", "only with this tag; can be repeated: a prompt must have all", collect)
    .addOption(kindsOption())
    .option("-n, --limit <count>", "the most to show", countOption, 100)
    .action(action(async () => (await import("./list.ts")).list));

  example(program.command("show"), "promptreg show ada/support-reply@production")
    .description("Shows a prompt: its labels, variables, settings and files.")
    .argument("<prompt>", anyVersion, promptArgument)
    .action(action(async () => (await import("./show.ts")).show));

  example(program.command("cat"), "promptreg cat ada/support-reply@production > PROMPT.md")
    .description("Prints a file of a prompt; into a pipe byte for byte.")
    .argument("<prompt>", anyVersion, promptArgument)
    .argument("[file]", "its path (default: the entry file)")
    .action(action(async () => (await import("./cat.ts")).cat));

  example(
    program.command("download"),
    "promptreg download ada/pr-review@3\npromptreg download ada/pr-review --format tar.gz -o - | tar xz\npromptreg download ada/triage --format openai-messages --unwrap -o triage.json",
  )
    .description("Downloads a prompt with all files as an archive, or as the files of a tool.")
    .argument("<prompt>", anyVersion, promptArgument)
    .option("--format <format>", `zip, tar.gz, or one of these, as a zip: ${formats.join(", ")}`, "zip")
    .option("--unwrap", "the file itself instead of a zip, if a tool's format has one file")
    .option("--dataset <name>", "with promptfoo: make its tests of this dataset (default: of the examples)")
    .option(
      "-o, --out <file>",
      "the file to write, or - for standard output (default: as the registry names it)",
    )
    .action(action(async () => (await import("./download.ts")).download));
}

function addComparing(program: Command, action: Action): void {
  example(program.command("log"), "promptreg log ada/support-reply")
    .description("Lists the versions of a prompt, newest first.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .option("-n, --limit <count>", "the most to show", countOption, 20)
    .action(action(async () => (await import("./log.ts")).log));
}

function addChanging(program: Command, action: Action): void {
  example(
    program.command("edit"),
    "promptreg edit ada/support-reply --title 'Support reply' --tag support --tag mail\npromptreg edit ada/support-reply --visibility public",
  )
    .description("Changes the metadata of a prompt, such as its title. Its files stay.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .option("--title <text>", "the title")
    .option("--summary <text>", "a short description")
    .option("--no-summary", "remove the summary")
    .option("--tag <tag>", "a tag; can be repeated; replaces all tags", collect)
    .option("--no-tags", "remove all tags")
    .option("--license <expression>", "an SPDX license expression, such as MIT")
    .option("--no-license", "remove the license: all rights reserved")
    .addOption(new Option("--visibility <who>", "who can read it").choices(visibilities))
    .addOption(new Option("--rating <rating>", "the audience of its content").choices(ratings))
    .action(action(async () => (await import("./edit.ts")).edit));

  example(program.command("rename"), "promptreg rename ada/support-reply customer-reply")
    .description("Gives a prompt a new slug. The old address redirects forever, and stays taken.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .argument("<slug>", "the new slug", slugArgument)
    .action(action(async () => (await import("./rename.ts")).rename));

  example(
    ofVersion(program.command("restore")),
    "promptreg restore ada/support-reply@2 --message 'Back to what worked'",
  )
    .description("Makes a copy of an old version the newest version. Labels do not move.")
    .option("-m, --message <text>", "why")
    .action(action(async () => aboutVersion((await import("./restore.ts")).restore)));

  example(
    ofVersion(program.command("yank")),
    "promptreg yank ada/support-reply@3 --reason 'Leaks the system prompt'",
  )
    .description("Hides a version and blocks labels on it. Applications that pinned it still get it.")
    .option("--reason <text>", "the reason, shown to you in the log")
    .action(action(async () => aboutVersion((await import("./yank.ts")).yank)));

  example(ofVersion(program.command("unyank")), "promptreg unyank ada/support-reply@3")
    .description("Undoes a yank.")
    .action(action(async () => aboutVersion(await unyank())));

  example(program.command("delete"), "promptreg delete ada/support-reply")
    .description("Deletes a prompt with everything in it, after showing what is lost.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .action(action(async () => (await import("./delete.ts")).deletePrompt));
}
