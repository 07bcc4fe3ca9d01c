import { type Command, Option } from "commander";
import { collect, countOption, kindsOption } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";

/** The search for prompts. */
export function addSearchCommand(program: Command, action: Action): void {
  example(
    program.command("search"),
    "promptreg search customer support\npromptreg search '\"code review\" -python' --kind skill --sort stars",
  )
    .description(
      "Searches public prompts, the best matches first. `post list --public --query` and `make list --public --query` search the others.",
    )
    .argument("<words...>", 'search words: "exact phrase", -not, or')
    .addOption(kindsOption())
    .option("--tag <tag>", "only with this tag; can be repeated: a prompt must have all", collect)
    .option("--owner <handle>", "only prompts of this account")
    .addOption(new Option("--sort <order>", "the order").choices(["relevance", "newest", "stars"]))
    .option("-n, --limit <count>", "the most to show", countOption, 20)
    .action(action(async () => (await import("./search.ts")).search));
}
