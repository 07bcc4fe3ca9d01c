import { type Command, Option } from "commander";
import { countOption, momentOption } from "../grammar/arguments.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { deliveryArgument, eventsOption, targetOption } from "./arguments.ts";

const secretFile = [
  "--secret-file <file>",
  "the file with the secret; - reads standard input (default: $PROMPTREG_WEBHOOK_SECRET, else a question)",
] as const;

/** What is done by those who write a receiver. A secret is never an argument: every process can read those. */
export function addReceivingCommands(webhook: Command, action: Action): void {
  example(
    webhook.command("listen"),
    "promptreg webhook listen --forward-to http://localhost:3000/hook\npromptreg webhook listen --forward-to localhost:3000/hook --events prompt.label.moved --since 2h",
  )
    .description(
      "Forwards the deliveries of a webhook to a receiver on this machine, signed again, until Ctrl-C.",
    )
    .requiredOption("--forward-to <address>", "such as http://localhost:3000/hook", targetOption)
    .option("--webhook <webhook>", "the webhook (default: your only one)")
    .option("--events <names>", "only these events, separated by commas", eventsOption)
    .option("--since <time>", "start at this time or age, such as 2h (default: now)", momentOption)
    .addOption(
      new Option(
        "--after <delivery>",
        "begin after this delivery: to continue, or to repeat what failed; shown when the command ends",
      )
        .argParser(deliveryArgument)
        .conflicts("since"),
    )
    .option(...secretFile)
    .option("--verbose", "show every answer, not only failures")
    .action(action(async () => (await import("./listen.ts")).listen));

  example(
    webhook.command("verify"),
    "promptreg webhook verify body.json --header t=1795167000,v1=5257a869… --at 2026-11-20T09:31:00Z",
  )
    .description("Checks the signature of a captured request. Exits with 9, and says why, if it is wrong.")
    .argument("<body>", "the file with the exact bytes of the body; - reads standard input")
    .requiredOption("--header <value>", "the value of Service-Signature")
    .option(...secretFile)
    .option("--tolerance <seconds>", "the greatest age", countOption, 300)
    .option("--at <time>", "the time or age at which it was received (default: now)", momentOption)
    .action(action(async () => (await import("./verify.ts")).verify));
}
