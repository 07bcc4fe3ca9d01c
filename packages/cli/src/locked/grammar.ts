import type { Command } from "commander";
import { promptArguments, sourceArguments } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";

const ofFile = (command: Command): Command =>
  command.option("--file <path>", "the lockfile (default: promptreg.lock in this folder or above)");

/** What is done with the versions that an application was tested with. */
export function addLockCommands(program: Command, action: Action): void {
  example(
    ofFile(program.command("lock")),
    "promptreg lock ada/support-reply@production ada/triage@3\npromptreg lock\npromptreg lock --remove ada/triage@3",
  )
    .description(
      "Writes whole versions of prompts to promptreg.lock. Without a prompt, updates all in the file.",
    )
    .argument(
      "[prompt...]",
      "owner/slug@production, owner/slug@3, owner/slug@latest or collection:<id>",
      sourceArguments,
    )
    .option("--remove <prompt>", "remove a prompt from the file; can be repeated", promptArguments)
    .action(action(async () => (await import("./lock.ts")).lock));

  example(ofFile(program.command("ci")), "promptreg ci --frozen")
    .description("Checks each locked version against the registry, by digest. Exits with 9 if one differs.")
    .option("--frozen", "for clarity only: ci never changes anything")
    .action(action(async () => (await import("./ci.ts")).ci));

  example(ofFile(program.command("verify")), "promptreg verify --file app/promptreg.lock")
    .description("Checks the lockfile by its own digests, offline. Exits with 9 if one is wrong.")
    .action(action(async () => (await import("./verify.ts")).verify));

  example(ofFile(program.command("outdated")), "promptreg outdated --exit-code")
    .description("Lists locked prompts whose label was moved or removed, and yanked versions.")
    .option("--exit-code", "exit with 9 if any prompt is outdated")
    .action(action(async () => (await import("./outdated.ts")).outdated));

  example(ofFile(program.command("codegen")), "promptreg codegen --out src/promptreg.d.ts")
    .description(
      "Writes TypeScript types for the variables and config of locked prompts, for client.prompt(…).compile(…).",
    )
    .option(
      "--out <path>",
      "the file to write, inside the TypeScript project (default: promptreg.d.ts beside the lockfile)",
    )
    .option("--strict", "make the type check refuse addresses that are not locked")
    .option("--check", "write nothing; exit with 9 if the file is out of date")
    .action(action(async () => (await import("./codegen.ts")).codegen));
}
