import type { ExampleStatus } from "@promptreg/core";
import type { PromptAddress } from "@promptreg/core/refs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { bareArgument, countOption, promptArgument } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { calling, listing } from "../grammar/operation.ts";
import { addVoteCommand } from "../votes/index.ts";

const statuses: ExampleStatus[] = ["approved", "pending", "rejected"];
const one = ["<example>", "its id, such as exm_01jd…", exampleArgument] as const;

function exampleArgument(text: string): string {
  if (/^exm_[0-9a-hjkmnp-tv-z]{26}$/.test(text)) return text;
  throw new InvalidArgumentError("Write an example's id, such as exm_01jd….");
}

/** What is done with examples. */
export function addExampleCommands(program: Command, action: Action): void {
  const examples = program
    .command("example")
    .description("Lists and adds examples of prompts, and decides on them.");
  addReading(examples, action);
  addDeciding(examples, action);

  example(
    examples.command("add"),
    "promptreg example add ada/support-reply@3 answer.md --title 'A late parcel' --variables values.json",
  )
    .description("Adds an example. If the prompt is not yours, its owner must approve it.")
    .argument("<prompt>", "owner/slug, or owner/slug@3", promptArgument)
    .argument("[file]", "what the model answered; - reads standard input")
    .option("--media <media...>", "what it answered beside that: files to upload, or ids of media of yours")
    .option("--title <text>", "a title")
    .option("--model <name>", "the model")
    .option("--input <file>", "what the model was asked")
    .option("--variables <file>", "what the prompt was filled in with, as a JSON object")
    .option("--note <text>", "a note")
    .action(action(async () => (await import("./add.ts")).addExample));
}

function addReading(examples: Command, action: Action): void {
  example(examples.command("list"), "promptreg example list ada/support-reply --status pending")
    .description("Lists the examples of a prompt: the approved ones in their order, then pending ones.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .addOption(new Option("--status <status>", "only with this status").choices(statuses))
    .option("-n, --limit <count>", "the most to show", countOption, 30)
    .action(
      action(
        listing(
          "examples.list",
          ({ owner, slug }: PromptAddress, { status }: { status?: ExampleStatus }) => ({
            owner,
            slug,
            query: { status },
          }),
          { columns: ["id", "status", "versionNumber", "author", "title"], none: "There are no examples." },
        ),
      ),
    );

  example(examples.command("show"), "promptreg example show ada/support-reply exm_01jd…")
    .description("Shows an example.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .argument(...one)
    .action(
      action(calling("examples.get", ({ owner, slug }: PromptAddress, id: string) => ({ owner, slug, id }))),
    );

  addVoteCommand(examples, action, { type: "example", id: "exm_01jd…", one });
}

function addDeciding(examples: Command, action: Action): void {
  example(examples.command("approve"), "promptreg example approve ada/support-reply exm_01jd…")
    .description("Shows an example of your prompt, asks, and puts it after the approved ones.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .argument(...one)
    .action(action(async () => (await import("./decide.ts")).approve));

  example(
    examples.command("reject"),
    "promptreg example reject ada/support-reply exm_01jd… --reason 'Not polite'",
  )
    .description("Shows an example of your prompt, asks, and rejects it. An approved one is taken down.")
    .argument("<prompt>", "owner/slug", bareArgument)
    .argument(...one)
    .option("--reason <text>", "the reason, shown to its author")
    .action(action(async () => (await import("./decide.ts")).reject));
}
