import type { Command } from "commander";
import { promptArguments } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";

const ofFile = (command: Command): Command =>
  command.option("--file <path>", "the lockfile", "promptreg.lock");

/** What is done with the versions that an application was tested with. */
export function addLockCommands(program: Command, action: Action): void {
  example(
    ofFile(program.command("lock")),
    "promptreg lock ada/support-reply@production ada/triage@3\npromptreg lock\npromptreg lock --remove ada/triage@3",
  )
    .description("Writes versions of prompts, whole, to promptreg.lock; without any, renews those in it.")
    .argument("[prompt...]", "owner/slug@production, owner/slug@3 or owner/slug@latest", promptArguments)
    .option("--remove <prompt>", "take a prompt out; can be repeated", promptArguments)
    .action(action(async () => (await import("./lock.ts")).lock));

  example(ofFile(program.command("ci")), "promptreg ci --frozen")
    .description("Checks each locked version against the registry, by digest; exits with 9 when one differs.")
    .option("--frozen", "said for clarity: ci never changes anything")
    .action(action(async () => (await import("./ci.ts")).ci));

  example(ofFile(program.command("verify")), "promptreg verify --file app/promptreg.lock")
    .description(
      "Checks the lockfile by its own digests, without the registry; exits with 9 when one is wrong.",
    )
    .action(action(async () => (await import("./verify.ts")).verify));

  example(ofFile(program.command("outdated")), "promptreg outdated --exit-code")
    .description("Lists locked prompts whose label has moved since, or is gone, and yanked versions.")
    .option("--exit-code", "exit with 9 when there are any outdated ones")
    .action(action(async () => (await import("./outdated.ts")).outdated));

  example(ofFile(program.command("codegen")), "promptreg codegen --out src/promptreg.d.ts")
    .description(
      "Writes TypeScript types of the variables and the config of locked prompts, for client.prompt(…).compile(…).",
    )
    .option("--out <path>", "the file to write, within the TypeScript program", "promptreg.d.ts")
    .option("--strict", "let no address type-check that is written out and not locked")
    .option("--check", "write nothing; exit with 9 when the file is not up to date")
    .action(action(async () => (await import("./codegen.ts")).codegen));
}
