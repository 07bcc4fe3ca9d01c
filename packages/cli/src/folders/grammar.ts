import { type Command, Option } from "commander";
import { collect, ontoOption, promptArguments, rangeArgument } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { kinds } from "../grammar/kinds.ts";

const places = "prompt folders, files in them, or trees of prompts";

/** What is done with the folders in which prompts lie, each with its entry file and a promptreg.json. */
export function addFolderCommands(program: Command, action: Action): void {
  example(
    program.command("init"),
    'promptreg init prompts/support-reply --kind text --title "Reply to a customer"',
  )
    .description(
      "Begins a prompt folder: a promptreg.json, and where there is none an entry file with a text to start from.",
    )
    .argument("<folder>", "where; it is made if it is not there")
    .addOption(
      new Option("--kind <kind>", "what the prompt is (default: by its entry file, else text)").choices(
        kinds,
      ),
    )
    .option("--title <text>", "how people call it (default: made from the slug)")
    .option("--slug <slug>", "its name in its address (default: made from the folder's name)")
    .action(action(async () => (await import("./init.ts")).init));

  example(
    program.command("push"),
    [
      "promptreg push prompts/support-reply --message 'Warmer opening' --label staging",
      "promptreg push prompts --changed-since origin/main --dry-run",
    ].join("\n"),
  )
    .description("Sends prompts: creates each one, or commits what changed as its next version.")
    .argument("<place...>", places)
    .option("--message <text>", "what changed, and why")
    .option(
      "--label <name>",
      "point this label at the version; can be repeated. A version gets a label once: where the label was moved away since, a push of the same files leaves it there",
      collect,
    )
    .option(
      "--owner <handle>",
      "whose they are to be, whatever the manifests say: for a copy of somebody else's",
    )
    .option("--changed-since <revision>", "only prompts in whose folders git sees a change since then")
    .option(
      "--onto <version>",
      "replace this version, or latest for the newest, wherever the files came from; as in a pipeline without git's history",
      ontoOption,
    )
    .option("--dry-run", "check everything, and show what would change")
    .option("--allow-secrets", "send what looks like a secret too, such as a private key or a token")
    .option("--markdown", "with --dry-run: as markdown, for a comment on a pull request")
    .action(action(async () => (await import("./push.ts")).push));

  example(
    program.command("check"),
    "promptreg check prompts\npromptreg check --schema > promptreg.schema.json",
  )
    .description(
      "Applies to prompt folders all rules that the registry will, and looks for secrets, offline.",
    )
    .argument("[place...]", `${places} (default: this folder)`)
    .option("--allow-secrets", "take no offence at what looks like a secret")
    .option("--schema", "print the JSON Schema of promptreg.json instead, for editors")
    .action(action(async () => (await import("./check.ts")).check));

  example(
    program.command("pull"),
    "promptreg pull ada/support-reply@production --into prompts\npromptreg pull --all --into prompts",
  )
    .description(
      "Writes prompts into folders named like them, and merges what was changed here; pushing what was pulled changes nothing.",
    )
    .argument("[prompt...]", "owner/slug, owner/slug@3 or owner/slug@production", promptArguments)
    .option("--all", "all of one's own prompts that have a version")
    .option("--into <folder>", "where the folders are, or the folder of the prompt itself", ".")
    .option("--overwrite", "take the files of the registry; what was changed here is lost instead of merged")
    .action(action(async () => (await import("./pull.ts")).pull));

  example(program.command("status"), "promptreg status prompts")
    .description("Compares prompt folders with the registry, as git status does.")
    .argument("[place...]", places)
    .action(action(async () => (await import("./status.ts")).status));

  example(
    program.command("diff"),
    "promptreg diff ada/support-reply production..latest --breaking\npromptreg diff prompts/support-reply",
  )
    .description("Shows what changed between two versions, or from the latest one to a folder.")
    .argument("<what>", "owner/slug with a range, or a prompt folder alone")
    .argument("[range]", "two versions or labels, such as 1..2", rangeArgument)
    .option("--breaking", "exit with 9 where values that fitted before may be refused now")
    .action(action(async () => (await import("./diff.ts")).diff));
}
