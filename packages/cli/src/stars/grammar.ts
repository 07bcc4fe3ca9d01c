import type { PromptKind } from "@promptreg/core";
import type { PromptAddress } from "@promptreg/core/refs";
import { type Command, Option } from "commander";
import { bareArgument, countOption } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { kinds } from "../grammar/kinds.ts";
import { calling, listing } from "../grammar/operation.ts";

const addressed = ({ owner, slug }: PromptAddress) => ({ owner, slug });

/** What is done with stars. */
export function addStarCommands(program: Command, action: Action): void {
  const star = program.command("star").description("Stars prompts, and lists those that you starred.");

  example(star.command("add"), "promptreg star add ada/support-reply")
    .description("Stars a prompt.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .action(
      action(
        calling(
          "stars.prompts.add",
          addressed,
          ({ colors }, { owner, slug }) => `${colors.bold(`${owner}/${slug}`)} is starred`,
        ),
      ),
    );

  example(star.command("remove"), "promptreg star remove ada/support-reply")
    .description("Removes your star from a prompt.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .action(
      action(
        calling(
          "stars.prompts.remove",
          addressed,
          ({ colors }, { owner, slug }) => `${colors.bold(`${owner}/${slug}`)} is not starred`,
        ),
      ),
    );

  example(star.command("list"), "promptreg star list --kind skill")
    .description("Lists the prompts that you starred, newest star first.")
    .addOption(new Option("--kind <kind>", "only of this kind").choices(kinds))
    .option("-n, --limit <count>", "the most to show", countOption, 30)
    .action(
      action(
        listing("stars.list", ({ kind }: { kind?: PromptKind }) => ({ query: { kind } }), {
          none: "No prompt is starred.",
        }),
      ),
    );
}
