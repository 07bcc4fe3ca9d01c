import { type Command, Option } from "commander";
import { countOption, momentOption } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { deliveryArgument, eventsOption, targetOption } from "./arguments.ts";

const secretFile = [
  "--secret-file <file>",
  "where the secret stands; - reads standard input (default: $PROMPTREG_WEBHOOK_SECRET, else it is asked for)",
] as const;

/** What is done by those who write a receiver. A secret is never an argument: every process can read those. */
export function addReceivingCommands(webhook: Command, action: Action): void {
  example(
    webhook.command("listen"),
    "promptreg webhook listen --forward-to http://localhost:3000/hook\npromptreg webhook listen --forward-to localhost:3000/hook --events prompt.label.moved --since 2h",
  )
    .description("Forwards what a webhook is sent to a receiver on this machine, signed anew, until Ctrl-C.")
    .requiredOption("--forward-to <address>", "such as http://localhost:3000/hook", targetOption)
    .option("--webhook <webhook>", "whose deliveries; when absent, your only webhook")
    .option("--events <names>", "only these, with commas between", eventsOption)
    .option(
      "--since <time>",
      "begin then: a time, or how long ago, such as 2h (default: from now on)",
      momentOption,
    )
    .addOption(
      new Option("--after <delivery>", "go on after this one, which is said when it ends")
        .argParser(deliveryArgument)
        .conflicts("since"),
    )
    .option(...secretFile)
    .option("--verbose", "show every answer, not only those other than 2xx")
    .action(action(async () => (await import("./listen.ts")).listen));

  example(
    webhook.command("verify"),
    "promptreg webhook verify body.json --header t=1795167000,v1=5257a869… --at 2026-11-20T09:31:00Z",
  )
    .description("Says whether a captured request is genuine, or exactly why not, and then exits with 9.")
    .argument("<body>", "the body byte for byte as it came; - reads standard input")
    .requiredOption("--header <value>", "the value of Service-Signature")
    .option(...secretFile)
    .option("--tolerance <seconds>", "how old it may be", countOption, 300)
    .option("--at <time>", "when it came, or how long ago (default: now)", momentOption)
    .action(action(async () => (await import("./verify.ts")).verify));
}
