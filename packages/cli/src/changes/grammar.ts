import type { PromptAddress } from "@promptreg/core/refs";
import { type Command, Option } from "commander";
import {
  bareArgument,
  countOption,
  promptArgument,
  versionArgument,
  versionNameArgument,
} from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { calling, listing } from "../grammar/operation.ts";
import { numberArgument } from "./arguments.ts";

const withBody = (command: Command): Command =>
  command
    .option("--body <text>", "why, in Markdown")
    .option("--body-file <file>", "read the body from a file, or - for standard input");

/** What is done with change requests. */
export function addChangeRequestCommands(program: Command, action: Action): void {
  const changes = program
    .command("change-request")
    .alias("cr")
    .description("Proposes a version of a fork to the prompt that it came from, and merges it.");
  addProposing(changes, action);
  addReading(changes, action);
  addDeciding(changes, action);
}

const withBase = (command: Command): Command =>
  command.option(
    "--base <version>",
    "the version of the prompt whose changes you have merged into yours",
    versionArgument,
  );

/** A command about one change request. */
const about = (changes: Command, name: string, lines: string): Command =>
  example(changes.command(name), lines)
    .argument("<prompt>", "owner/slug of the prompt that it would change", bareArgument)
    .argument("<number>", "its number", numberArgument);

function addProposing(changes: Command, action: Action): void {
  example(
    withBase(withBody(changes.command("create"))),
    "promptreg change-request create bob/support-reply --title 'A warmer opening'\npromptreg change-request create bob/support-reply@3 --body-file why.md",
  )
    .description("Proposes a version of your fork, after showing where it goes.")
    .argument("<fork>", "owner/slug, owner/slug@3 or owner/slug@production of your fork", promptArgument)
    .option("--title <text>", "its title (default: the first line of the version's message)")
    .action(action(async () => (await import("./create.ts")).create));

  withBase(
    withBody(about(changes, "edit", "promptreg change-request edit ada/support-reply 12 --propose latest")),
  )
    .description("Proposes another version of the fork, or changes the title or the body.")
    .option(
      "--propose <version>",
      "a version of the fork: its number, a label or latest",
      versionNameArgument,
    )
    .option("--title <text>", "the new title")
    .action(action(async () => (await import("./edit.ts")).edit));
}

function addReading(changes: Command, action: Action): void {
  example(
    changes.command("list"),
    "promptreg change-request list ada/support-reply\npromptreg change-request list ada/support-reply --state merged --author bob",
  )
    .description("Lists the change requests on a prompt, newest first.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .addOption(
      new Option("--state <state>", "only these")
        .choices(["open", "closed", "merged", "all"])
        .default("open"),
    )
    .option("--author <handle>", "only of this account")
    .option("-n, --limit <count>", "the most to show", countOption, 30)
    .action(
      action(
        listing(
          "changeRequests.list",
          ({ owner, slug }: PromptAddress, { state, author }: ListOptions) => ({
            owner,
            slug,
            query: { state, author },
          }),
          {
            columns: ["n", "state", "author", "mergeable", "updatedAt", "title"],
            none: ({ owner, slug }: PromptAddress, { state }: ListOptions) =>
              state === "open"
                ? `None is open. \`promptreg change-request list ${owner}/${slug} --state all\` lists merged and closed ones too.`
                : "There is no such change request.",
          },
        ),
      ),
    );

  about(changes, "show", "promptreg change-request show ada/support-reply 12")
    .description("Shows a change request: what it changes, whether it can be merged, and why it was made.")
    .action(action(async () => (await import("./show.ts")).show));

  about(changes, "diff", "promptreg change-request diff ada/support-reply 12")
    .description("Shows what it changes, against the version that the fork was made from.")
    .action(action(async () => (await import("./show.ts")).diff));
}

interface ListOptions {
  state: "open" | "closed" | "merged" | "all";
  author?: string;
}

function addDeciding(changes: Command, action: Action): void {
  about(
    changes,
    "merge",
    "promptreg change-request merge ada/support-reply 12\npromptreg change-request merge ada/support-reply 12 --theirs --message 'A warmer opening'",
  )
    .description("Makes the next version of your prompt from it, after showing what changes and asking.")
    .option("-m, --message <text>", "the message of the new version")
    .option("--theirs", "where both sides changed a file, take the proposed one")
    .action(action(async () => (await import("./merge.ts")).merge));

  about(changes, "close", "promptreg change-request close ada/support-reply 12")
    .description("Closes it without a merge.")
    .action(action(turning("closed", "is closed")));

  about(changes, "reopen", "promptreg change-request reopen ada/support-reply 12")
    .description("Opens a closed one again.")
    .action(action(turning("open", "is open")));
}

const turning = (state: "open" | "closed", said: string) =>
  calling(
    "changeRequests.update",
    ({ owner, slug }: PromptAddress, n: number) => ({ owner, slug, n, body: { state } }),
    ({ colors }, { owner, slug }, n) => `${colors.bold(`${owner}/${slug}`)} change request ${n} ${said}`,
  );
