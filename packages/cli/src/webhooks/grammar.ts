import { type Command, Option } from "commander";
import { countOption, momentOption } from "../grammar/arguments.ts";
import { listing } from "../grammar/operation.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { addReceivingCommands } from "./receiving-grammar.ts";
import { deliveriesArgument, deliveryArgument, eventsOption, promptsOption } from "./arguments.ts";

const one = "its id, such as whk_01jd…";
const orOnly = `${one} (default: your only one)`;

/** What is done with webhooks and their deliveries. */
export function addWebhookCommands(program: Command, action: Action): void {
  const webhook = program.command("webhook").description("Sends events about prompts to other programs.");
  addSettings(webhook, action);
  addViews(webhook, action);
  addDeliveries(webhook, action);
  addReceivingCommands(webhook, action);
}

function addSettings(webhook: Command, action: Action): void {
  const eventsHelp = "event names, separated by commas, or all";
  const promptHelp = "only events of this prompt (owner/slug); can be repeated; all: no filter";

  example(
    webhook.command("create"),
    "promptreg webhook create https://example.com/hook --events prompt.label.moved --prompt ada/support-reply",
  )
    .description("Creates a webhook. Prints its signing secret, only this once.")
    .argument("<address>", "the URL to send events to: https, on the public internet")
    .option("--events <names>", `${eventsHelp} (default: all)`, eventsOption)
    .option("--prompt <prompt>", promptHelp, promptsOption)
    .option("--description <text>", "a short description")
    .option("--disabled", "create it disabled")
    .action(action(async () => (await import("./settings.ts")).create));

  example(
    webhook.command("update"),
    "promptreg webhook update whk_01jd… --events all\npromptreg webhook update whk_01jd… --enable",
  )
    .description("Changes a webhook. Options that are not given stay as they are.")
    .argument("<webhook>", one)
    .option("--to <address>", "the new URL")
    .option("--events <names>", eventsHelp, eventsOption)
    .option("--prompt <prompt>", promptHelp, promptsOption)
    .option("--description <text>", "a short description; an empty one removes it")
    .option("--enable", "send events again")
    .addOption(new Option("--disable", "stop sending; waiting deliveries are cancelled").conflicts("enable"))
    .action(action(async () => (await import("./settings.ts")).update));

  example(webhook.command("rotate"), "promptreg webhook rotate whk_01jd… --json --yes")
    .description("Replaces the secret of a webhook. Prints the new one, only this once.")
    .argument("<webhook>", one)
    .action(action(async () => (await import("./settings.ts")).rotate));

  example(webhook.command("delete"), "promptreg webhook delete whk_01jd…")
    .description("Deletes a webhook with its delivery log.")
    .argument("<webhook>", one)
    .action(action(async () => (await import("./settings.ts")).remove));
}

function addViews(webhook: Command, action: Action): void {
  example(webhook.command("list"), "promptreg webhook list --json")
    .description("Lists your webhooks, newest first.")
    .action(action(async () => (await import("./list.ts")).list));

  example(webhook.command("show"), "promptreg webhook show whk_01jd…")
    .description("Shows a webhook, without its secret.")
    .argument("[webhook]", orOnly)
    .action(action(async () => (await import("./list.ts")).show));

  example(webhook.command("events"), "promptreg webhook events")
    .description("Lists the events that webhooks can receive. --json has an example of each.")
    .action(
      action(
        listing("webhooks.events", () => ({}), {
          columns: ["name", "description"],
          none: "There are no events.",
        }),
      ),
    );

  example(webhook.command("test"), "promptreg webhook test")
    .description("Sends a ping and shows the answer. Exits with 9 if it is not 2xx.")
    .argument("[webhook]", orOnly)
    .action(action(async () => (await import("./test.ts")).test));
}

function addDeliveries(webhook: Command, action: Action): void {
  const statuses = ["pending", "succeeded", "failed", "cancelled"];

  example(webhook.command("deliveries"), "promptreg webhook deliveries whk_01jd… --status failed --limit 10")
    .description("Lists the deliveries of the last 30 days, newest first.")
    .argument("[webhook]", orOnly)
    .addOption(new Option("--status <status>", "only with this status").choices(statuses))
    .option("--event <name>", "only of this event")
    .option("--after <delivery>", "only newer than this delivery", deliveryArgument)
    .option("-n, --limit <count>", "the most to show", countOption, 30)
    .action(action(async () => (await import("./deliveries.ts")).listDeliveries));

  example(webhook.command("delivery"), "promptreg webhook delivery whk_01jd… dlv_01je…")
    .description("Shows a delivery: the request, each attempt, and the answer.")
    .argument("<webhook>", one)
    .argument("<delivery>", "its id, such as dlv_01je…", deliveryArgument)
    .action(action(async () => (await import("./deliveries.ts")).showDelivery));

  example(webhook.command("redeliver"), "promptreg webhook redeliver whk_01jd… dlv_01je… dlv_01jf…")
    .description("Sends deliveries again, each as a new delivery.")
    .argument("<webhook>", one)
    .argument("<delivery...>", "ids of deliveries", deliveriesArgument)
    .action(action(async () => (await import("./deliveries.ts")).redeliver));

  example(
    webhook.command("catch-up"),
    "promptreg webhook catch-up --since 2h\npromptreg webhook catch-up whk_01jd… --since 2026-11-20T09:30:00Z --yes",
  )
    .description("Sends again all events since a time that failed, or that wait for a retry.")
    .argument("[webhook]", orOnly)
    .requiredOption("--since <time>", "a time or age, such as 2h", momentOption)
    .action(action(async () => (await import("./catch-up.ts")).catchUp));
}
