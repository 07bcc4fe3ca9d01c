import { type Command, Option } from "commander";
import { bareArgument } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";

/** What is done with accounts, and with what is kept of them here. */
export function addAccountCommands(program: Command, action: Action): void {
  addLogin(program, action);

  example(program.command("whoami"), "promptreg whoami --json")
    .description("Shows the account behind the token, and what the token may do.")
    .action(action(async () => (await import("./whoami.ts")).whoami));

  example(program.command("config"), "promptreg config")
    .description("Shows which server, profile and token are in force here, and where each comes from.")
    .action(action(async () => (await import("./config.ts")).showConfig));

  example(
    program.command("watch"),
    "promptreg watch ada/support-reply\npromptreg watch ada/support-reply --off\npromptreg watch --list",
  )
    .description("Follows a prompt: its owner's changes then come as notifications and to webhooks.")
    .argument("[prompt]", "owner/slug", bareArgument)
    .addOption(
      new Option("--level <level>", "how closely (default: releases); with --list: only those").choices([
        "releases",
        "all",
        "ignore",
      ]),
    )
    .option("--off", "follow it no longer; one's own goes back to all")
    .option("--list", "list the prompts that are followed")
    .action(action(async () => (await import("./watch.ts")).watch));
}

function addLogin(program: Command, action: Action): void {
  example(
    program.command("login"),
    "promptreg login\npromptreg login --url https://registry.example.com --profile work\npromptreg login < token.txt",
  )
    .description("Keeps a token for the commands that follow: pasted without being shown, or piped in.")
    // Where people try to write the token; refused with the reason, and without repeating it.
    .argument("[token]")
    .addOption(new Option("--token <token>").hideHelp())
    .usage("[options]")
    .addHelpText(
      "after",
      "\nIt is checked first. The profile is named after the account, unless --profile names it, and becomes the current one.",
    )
    .action(action(async () => (await import("./login.ts")).login));

  example(program.command("logout"), "promptreg logout --profile work")
    .description("Removes a profile and its token from this machine; the server still takes the token.")
    .action(action(async () => (await import("./logout.ts")).logout));

  const profile = program
    .command("profile")
    .description("Lists the logins of this machine, and changes between them.");
  example(profile.command("list"), "promptreg profile list")
    .description("Lists the profiles, the current one marked.")
    .action(action(async () => (await import("./profile.ts")).listProfiles));
  example(profile.command("use"), "promptreg profile use work")
    .description("Makes a profile the current one.")
    .argument("<name>", "as `promptreg profile list` shows it")
    .action(action(async () => (await import("./profile.ts")).useProfile));
}
