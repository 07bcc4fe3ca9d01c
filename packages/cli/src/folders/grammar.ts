import { type Command, Option } from "commander";
import { collect, ontoOption, promptArgument, sourceArguments, slugArgument } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { kinds, namedKinds, visibilities } from "../grammar/kinds.ts";

const importHelp = `
It knows Agent Skills; commands, agents and rules of Claude Code, Cursor,
Copilot, Gemini CLI, Windsurf, Cline, Continue, OpenCode and Codex; AGENTS.md;
.prompt.yml, .prompt and .prompty; promptfoo configurations; patterns of Fabric;
LangChain, OpenAI and Langfuse JSON; tables with the columns act and prompt;
exports of chats.
Another run changes nothing: what was imported before stays as it is, until
--update merges what changed in the source since.`;

const places = "prompt folders, files in them, or folders of prompts";
const around = "default: the prompt around this folder";
const orBelow = `${around}, else those below it`;

/** What is done with the folders in which prompts lie, each with its entry file and a promptreg.json. */
export function addFolderCommands(program: Command, action: Action): void {
  addSending(program, action);
  addComparing(program, action);
}

function addSending(program: Command, action: Action): void {
  example(
    program.command("init"),
    'promptreg init prompts/support-reply --kind text --title "Reply to a customer"\npromptreg init .',
  )
    .description(
      "Creates a prompt folder: a promptreg.json and, if there is none, an entry file with example text. In a project with prompts of other tools it gives them manifests, and leaves the files where they are.",
    )
    .argument("[folder]", "the folder; it is created if missing", ".")
    .addOption(
      new Option("--kind <kind>", "the kind of prompt (default: from the entry file, else text)").choices(
        kinds,
      ),
    )
    .option("--title <text>", "its title (default: from the slug)")
    .option("--slug <slug>", "its name in the address (default: from the folder name)")
    .option("--into <folder>", "where manifests of files of other tools go (default: prompts, in the folder)")
    .action(action(async () => (await import("./init.ts")).init));

  example(
    program.command("import"),
    [
      "promptreg import ../my-project --into prompts",
      "promptreg import .claude/commands --dry-run",
      "promptreg import prompts.csv --into prompts --yes",
      "promptreg import anthropics/skills --only pdf --only docx",
      "promptreg import anthropics/skills --update",
    ].join("\n"),
  )
    .description("Copies prompts of other tools into prompt folders, after showing what each file becomes.")
    .argument(
      "<place>",
      "a folder, a file, an archive (zip, tar.gz), a repository on GitHub (owner/name), or the address of any of these",
    )
    .option("--only <text>", "only prompts whose name or place contains this; can be repeated", collect)
    .addOption(
      new Option("--kind <kind>", "what Markdown and text files become that are nothing else").choices(
        namedKinds,
      ),
    )
    .option("--into <folder>", "the folder for the prompts, one folder each", "prompts")
    .option("--update", "merge what changed in the source into what was imported before")
    .option("--overwrite", "with --update: take the source's text where it changed here too")
    .option("--dry-run", "show what would be written; write nothing")
    .option("--allow-secrets", "also take what looks like a secret, such as a private key or a token")
    .addHelpText("after", importHelp)
    .action(action(async () => (await import("./import.ts")).importPrompts));

  example(
    program.command("push"),
    [
      "promptreg push prompts/support-reply --message 'Warmer opening' --label staging",
      "promptreg push prompts --changed-since origin/main --dry-run",
    ].join("\n"),
  )
    .description("Sends prompts: creates new ones, and commits changed files as the next version.")
    .argument("[place...]", `${places} (${around})`)
    .option("-m, --message <text>", "what changed and why")
    .option(
      "--label <name>",
      "point this label at the version; can be repeated. If the label was moved away from this version, a push of the same files does not move it back",
      collect,
    )
    .option(
      "--owner <handle>",
      "the account to push to, whatever the manifests say: copies a prompt of another account",
    )
    .option("--changed-since <revision>", "only prompts whose folder changed since then, according to git")
    .option(
      "--onto <version>",
      "replace this version, or latest, whatever version the files came from; for pipelines without git history",
      ontoOption,
    )
    .option("-n, --dry-run", "check everything and show what would change; send nothing")
    .option(
      "--suggest",
      "let the server suggest a title, a summary and tags where a manifest has none, and the message; shows them and asks before anything is written",
    )
    .option("--allow-secrets", "also send what looks like a secret, such as a private key or a token")
    .option("--markdown", "with --dry-run: print markdown, for a comment on a pull request")
    .action(action(async () => (await import("./push.ts")).push));

  example(
    program.command("check"),
    "promptreg check prompts\npromptreg check --schema > promptreg.schema.json",
  )
    .description(
      "Checks prompt folders offline: all rules of the registry, and secrets. With a token it also asks whether their names are free.",
    )
    .argument("[place...]", `${places} (${orBelow})`)
    .option("--allow-secrets", "allow what looks like a secret")
    .option("--schema", "print the JSON Schema of promptreg.json, for editors")
    .action(action(async () => (await import("./check.ts")).check));
}

function addComparing(program: Command, action: Action): void {
  example(
    program.command("render"),
    [
      "promptreg render prompts/support-reply --var customer=Ada --vars values.json",
      "promptreg render ada/support-reply@production --vars - < values.json",
    ].join("\n"),
  )
    .description("Fills in the variables of a prompt, of a folder or of the registry, and shows the text.")
    .argument("[what]", `a prompt folder, owner/slug, owner/slug@3 or owner/slug@production (${around})`)
    .option("--var <name=value>", "the value of a variable; can be repeated", collect)
    .option("--vars <file>", "a JSON object with values; - reads standard input")
    .action(action(async () => (await import("./render.ts")).render));

  const fork = example(
    program.command("fork"),
    "promptreg fork ada/support-reply --into prompts\npromptreg fork ada/support-reply@3 --slug reply-in-german",
  )
    .description("Makes a prompt of your own from a version of another, to change and propose it.")
    .argument("<prompt>", "owner/slug or owner/slug@3", promptArgument)
    .option(
      "--slug <slug>",
      "its name in your account (default: that of the prompt, or the next free)",
      slugArgument,
    )
    .addOption(
      new Option("--visibility <who>", "who can read it (default: as the prompt)").choices(visibilities),
    )
    .option("--into <folder>", "also write its files into this folder, as pull does")
    .action(action(async () => (await import("./fork.ts")).fork));

  // Commander reads the options of `fork` behind its verb too.
  fork.hook("preSubcommand", (_, verb) => {
    const [option] = Object.keys(fork.opts());
    if (option !== undefined) verb.error(`error: unknown option '--${option}'`);
  });
  example(fork.command("sync"), "promptreg fork sync prompts/support-reply")
    .description("Merges what changed in the prompt that it was forked from into the folder of a fork.")
    .argument("[folder]", `the folder of the fork (${around})`)
    .action(action(async () => (await import("./sync.ts")).sync));

  example(
    program.command("pull"),
    "promptreg pull ada/support-reply@production --into prompts\npromptreg pull collection:col_01jd… --into prompts\npromptreg pull --all --into prompts",
  )
    .description(
      "Writes prompts into folders, and merges local changes. A push right after a pull changes nothing.",
    )
    .argument(
      "[prompt...]",
      "owner/slug, owner/slug@3, owner/slug@production or collection:<id>",
      sourceArguments,
    )
    .option("--all", "all your own prompts that have a version")
    .option("--into <folder>", "the parent folder, or the folder of the prompt itself", ".")
    .option("--overwrite", "take the files of the registry: local changes are lost instead of merged")
    .action(action(async () => (await import("./pull.ts")).pull));

  example(program.command("status"), "promptreg status prompts")
    .description("Compares prompt folders with the registry, like git status.")
    .argument("[place...]", `${places} (${orBelow})`)
    .action(action(async () => (await import("./status.ts")).status));

  example(
    program.command("diff"),
    "promptreg diff ada/support-reply production..latest --breaking\npromptreg diff prompts/support-reply",
  )
    .description("Shows what changed between two versions, or between the latest version and a folder.")
    .argument("[what]", `owner/slug with two versions, or a prompt folder (${orBelow})`)
    .argument("[range...]", "two versions or labels, such as 1..2")
    .option("--word-diff", "mark the words that differ in a pipe too: [-old-] and {+new+}")
    .option("--breaking", "exit with 9 if values that were valid before may be refused now")
    .action(action(async () => (await import("./diff.ts")).diff));
}
