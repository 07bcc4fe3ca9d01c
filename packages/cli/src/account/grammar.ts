import { type Command, Option } from "commander";
import { bareArgument } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";

/** What is done with accounts, and with what is kept of them here. */
export function addAccountCommands(program: Command, action: Action): void {
  addLogin(program, action);
  addArchives(program, action);

  example(program.command("whoami"), "promptreg whoami --json")
    .description("Shows the account of the token, and its scopes.")
    .action(action(async () => (await import("./whoami.ts")).whoami));

  example(program.command("config"), "promptreg config")
    .description("Shows the server, profile and token in use, and where each comes from.")
    .action(action(async () => (await import("./config.ts")).showConfig));

  example(
    program.command("watch"),
    "promptreg watch ada/support-reply\npromptreg watch ada/support-reply --off\npromptreg watch --list",
  )
    .description("Watches a prompt: its changes are sent as notifications and to webhooks.")
    .argument("[prompt]", "owner/slug", bareArgument)
    .addOption(
      new Option(
        "--level <level>",
        "what to be notified of (default: releases); with --list: only this level",
      ).choices(["releases", "all", "ignore"]),
    )
    .option("--off", "stop watching; your own prompt goes back to all")
    .option("--list", "list the watched prompts")
    .action(action(async () => (await import("./watch.ts")).watch));
}

function addLogin(program: Command, action: Action): void {
  example(
    program.command("login"),
    "promptreg login\npromptreg login --url https://registry.example.com --profile work\npromptreg login < token.txt",
  )
    .description("Stores a token for later commands. Paste it (it is not shown), or pipe it in.")
    // Where people try to write the token: refused with the reason, and without repeating it, as `--token` is.
    .argument("[token]")
    .usage("[options]")
    .addHelpText(
      "after",
      "\nThe token is checked first. The profile gets the name of the account, or that of\n--profile, and becomes the current one.",
    )
    .action(action(async () => (await import("./login.ts")).login));

  example(program.command("logout"), "promptreg logout --profile work")
    .description("Removes a profile and its token from this machine. The token itself stays valid.")
    .action(action(async () => (await import("./logout.ts")).logout));

  const profile = program
    .command("profile")
    .description("Lists the profiles on this machine, and switches between them.");
  example(profile.command("list"), "promptreg profile list")
    .description("Lists the profiles, with the current one marked.")
    .action(action(async () => (await import("./profile.ts")).listProfiles));
  example(profile.command("use"), "promptreg profile use work")
    .description("Makes a profile the current one.")
    .argument("<name>", "as `promptreg profile list` shows it")
    .action(action(async () => (await import("./profile.ts")).useProfile));
}

function addArchives(program: Command, action: Action): void {
  const account = program
    .command("account")
    .description("Takes everything that an account has along, in one file.");
  example(account.command("export"), "promptreg account export\npromptreg account export ada.tar.gz")
    .description(
      "Writes your prompts, posts, makes, collections and comments into an archive that any tool opens.",
    )
    .argument("[file]", "where to write it (default: <handle>.promptreg.tar.gz)")
    .action(action(async () => (await import("./export.ts")).exportAccount));

  example(
    account.command("import"),
    "promptreg account import ada.promptreg.tar.gz --dry-run\npromptreg account import ada.promptreg.tar.gz --publish",
  )
    .description(
      "Brings an exported archive into your account. What is there already stays; start it again after an interruption.",
    )
    .argument("<file>", "what `promptreg account export` wrote")
    .option(
      "--publish",
      "make readable to others what they could read before, after asking (default: all stays private)",
    )
    .option("--dry-run", "only show what would happen")
    .action(action(async () => (await import("./import.ts")).importAccount));
}
