import { cell, countOf } from "../terminal/text.ts";
import type { DeliverySummary, Webhook } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import type { Context } from "../settings/context.ts";
import { exitCodes } from "../exit-codes.ts";
import { noteOutages } from "../requests/note-outages.ts";
import type { Output } from "../terminal/output.ts";
import { checkEvents, chooseWebhook } from "./choose.ts";
import { type Forwarded, forward, isLocal } from "./forward.ts";
import { firstId, follow, idBefore, newestId } from "./log.ts";
import { readSecret } from "./secret.ts";
import { printExcerpt, stateOf, toSecond } from "./texts.ts";

interface ListenOptions {
  forwardTo: URL;
  webhook?: string;
  events?: string[] | "all";
  since?: string;
  after?: string;
  secretFile?: string;
  verbose?: boolean;
}

export async function listen(context: Context, options: ListenOptions): Promise<number> {
  const { connect, confirm, destination, holdInterrupts, output } = context;
  const { forwardTo, since, verbose = false } = options;
  if (!isLocal(forwardTo)) {
    await confirm(
      `${forwardTo.host} is not this machine. Forward events there? They may contain private data.`,
    );
  }
  const client = await connect();
  const { events: named = "all" } = options;
  const events = named === "all" ? undefined : await checkEvents(client, named);
  const webhook = await chooseWebhook(client, options.webhook, events);
  let after = options.after ?? (since === undefined ? await newestId(client, webhook.id) : idBefore(since));
  const secret = await readSecret(context, options.secretFile);
  const signing = { secret, registry: (await destination()).url };
  const signal = holdInterrupts();
  output.note(
    `Forwarding the events of ${webhook.id} (${webhook.url}) to ${forwardTo.href}. Press Ctrl-C to stop.`,
  );
  const tally: Tally = { forwarded: 0, refused: 0, repeatAfter: undefined };
  try {
    const onOutage = noteOutages(output);
    const onQuiet = noteStateChanges(client, webhook, output);
    for await (const delivery of follow(client, { id: webhook.id, after, signal, onOutage, onQuiet })) {
      const before = after ?? firstId;
      after = delivery.id;
      if (events !== undefined && !events.includes(delivery.event)) continue;
      // Its prompt turned private before it was sent.
      if (delivery.payload?.["data"] === undefined) continue;
      const outcome = await forward(forwardTo, delivery, signing);
      tally.forwarded += 1;
      if (!isFine(outcome)) {
        tally.refused += 1;
        tally.repeatAfter ??= before;
      }
      output.line(describe(delivery, outcome), () => asText(delivery, outcome, { output, verbose }));
    }
  } finally {
    // However it ends: what comes next can be had by going on from here.
    output.note(tallyText(tally, after));
  }
  return exitCodes.interrupted[0];
}

interface Tally {
  forwarded: number;
  refused: number;
  /** What stands before the first that was refused. */
  repeatAfter: string | undefined;
}

function tallyText({ forwarded, refused, repeatAfter }: Tally, after: string | undefined): string {
  const sentences = [
    `${countOf(forwarded, "event")} forwarded${refused === 0 ? "" : `, ${refused} of them without a 2xx answer`}.`,
    repeatAfter && `--after ${repeatAfter} repeats from the first of those.`,
    after && `--after ${after} continues from here.`,
  ];
  return sentences.filter(Boolean).join(" ");
}

const isFine = ({ status }: Forwarded): boolean => status !== null && status >= 200 && status < 300;

const stateEveryMs = 60_000;

/** Says when the webhook is disabled, now or later: its silence would look like peace. */
function noteStateChanges(client: Client, webhook: Webhook, { note }: Output): () => Promise<void> {
  let checkedMs = Date.now();
  let { status } = webhook;
  const tell = (latest: Webhook) =>
    note(
      latest.status === "active"
        ? "The webhook is enabled again."
        : `The webhook is ${stateOf(latest)}, so it receives nothing. Enable it: \`promptreg webhook update ${latest.id} --enable\`.`,
    );
  if (status === "disabled") tell(webhook);
  return async () => {
    if (Date.now() - checkedMs < stateEveryMs) return;
    checkedMs = Date.now();
    const latest = await client.webhooks.get({ id: webhook.id });
    if (latest.status !== status) tell(latest);
    status = latest.status;
  };
}

/** The prompt that an event is about; a ping is about none. */
function promptOf({ payload }: DeliverySummary): string | null {
  const { prompt } = (payload?.["data"] ?? {}) as { prompt?: { ref?: string } };
  return prompt?.ref ?? null;
}

const describe = (delivery: DeliverySummary, outcome: Forwarded) => ({
  deliveryId: delivery.id,
  eventId: delivery.eventId,
  event: delivery.event,
  prompt: promptOf(delivery),
  createdAt: delivery.createdAt,
  redeliveryOf: delivery.redeliveryOf,
  ...outcome,
});

function asText(
  delivery: DeliverySummary,
  outcome: Forwarded,
  { output: { colors }, verbose }: { output: Output; verbose: boolean },
): string {
  const { status, durationMs, error, excerpt } = outcome;
  const fine = isFine(outcome);
  const answer = (fine ? colors.green : colors.red)(cell(error ?? String(status)));
  const again = delivery.redeliveryOf === null ? "" : colors.dim(" again");
  const about = promptOf(delivery);
  return [
    colors.dim(toSecond(delivery.createdAt)),
    `  ${colors.bold(delivery.event)}${again}`,
    about === null ? "" : `  ${cell(about)}`,
    `  → ${answer}, ${durationMs} ms`,
    fine && !verbose ? "" : printExcerpt(excerpt),
  ].join("");
}
