import { type Command, Option } from "commander";
import { countOption, momentOption } from "../grammar/arguments.ts";
import { listing } from "../grammar/operation.ts";
import { type Action, example } from "../grammar/grammar.ts";
import { addReceivingCommands } from "./receiving-grammar.ts";
import { deliveriesArgument, deliveryArgument, eventsOption, promptsOption } from "./arguments.ts";

const one = "its id, such as whk_01jd…";
const orOnly = `${one}; when absent, your only webhook`;

/** What is done with webhooks and their deliveries. */
export function addWebhookCommands(program: Command, action: Action): void {
  const webhook = program.command("webhook").description("Tells other programs of what happens to prompts.");
  addSettings(webhook, action);
  addViews(webhook, action);
  addDeliveries(webhook, action);
  addReceivingCommands(webhook, action);
}

function addSettings(webhook: Command, action: Action): void {
  const eventsHelp = "which events, with commas between, or all";
  const promptHelp = "only about this prompt, owner/slug; can be repeated; all: no filter";

  example(
    webhook.command("create"),
    "promptreg webhook create https://example.com/hook --events prompt.label.moved --prompt ada/support-reply",
  )
    .description("Creates a webhook, and prints the secret with which it signs, this once.")
    .argument("<address>", "where events are sent: https, on the public internet")
    .option("--events <names>", `${eventsHelp} (default: all)`, eventsOption)
    .option("--prompt <prompt>", promptHelp, promptsOption)
    .option("--description <text>", "what it is for")
    .option("--disabled", "send nothing yet")
    .action(action(async () => (await import("./settings.ts")).create));

  example(
    webhook.command("update"),
    "promptreg webhook update whk_01jd… --events all\npromptreg webhook update whk_01jd… --enable",
  )
    .description("Changes a webhook; what is not named stays.")
    .argument("<webhook>", one)
    .option("--to <address>", "send events there")
    .option("--events <names>", eventsHelp, eventsOption)
    .option("--prompt <prompt>", promptHelp, promptsOption)
    .option("--description <text>", "what it is for; an empty one takes it away")
    .option("--enable", "send events again, after it was disabled")
    .addOption(new Option("--disable", "send nothing more; what waits is cancelled").conflicts("enable"))
    .action(action(async () => (await import("./settings.ts")).update));

  example(webhook.command("rotate"), "promptreg webhook rotate whk_01jd… --json --yes")
    .description("Replaces the secret of a webhook, and prints the new one, this once.")
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
    .description("Lists the events that webhooks can be sent; --json has an example of each.")
    .action(
      action(
        listing("webhooks.events", () => ({}), {
          columns: ["name", "description"],
          none: "There are no events.",
        }),
      ),
    );

  example(webhook.command("test"), "promptreg webhook test")
    .description("Sends a ping, and shows what the receiver answers; exits with 9 when that is not 2xx.")
    .argument("[webhook]", orOnly)
    .action(action(async () => (await import("./test.ts")).test));
}

function addDeliveries(webhook: Command, action: Action): void {
  const statuses = ["pending", "succeeded", "failed", "cancelled"];

  example(webhook.command("deliveries"), "promptreg webhook deliveries whk_01jd… --status failed --limit 10")
    .description("Lists what was sent to a webhook, newest first, of the last 30 days.")
    .argument("[webhook]", orOnly)
    .addOption(new Option("--status <status>", "only those").choices(statuses))
    .option("--event <name>", "only of this event")
    .option("--after <delivery>", "only those newer than this one", deliveryArgument)
    .option("--limit <count>", "how many at most", countOption, 30)
    .action(action(async () => (await import("./deliveries.ts")).listDeliveries));

  example(webhook.command("delivery"), "promptreg webhook delivery whk_01jd… dlv_01je…")
    .description("Shows a delivery: what was sent, how each attempt went, what was answered.")
    .argument("<webhook>", one)
    .argument("<delivery>", "its id, such as dlv_01je…", deliveryArgument)
    .action(action(async () => (await import("./deliveries.ts")).showDelivery));

  example(webhook.command("redeliver"), "promptreg webhook redeliver whk_01jd… dlv_01je… dlv_01jf…")
    .description("Sends events again, each as a new delivery.")
    .argument("<webhook>", one)
    .argument("<delivery...>", "ids of deliveries", deliveriesArgument)
    .action(action(async () => (await import("./deliveries.ts")).redeliver));

  example(
    webhook.command("catch-up"),
    "promptreg webhook catch-up --since 2h\npromptreg webhook catch-up whk_01jd… --since 2026-11-20T09:30:00Z --yes",
  )
    .description(
      "Sends again what failed since a time and was not delivered later; what waits for another attempt too.",
    )
    .argument("[webhook]", orOnly)
    .requiredOption("--since <time>", "a time, or how long ago: 2h", momentOption)
    .action(action(async () => (await import("./catch-up.ts")).catchUp));
}
