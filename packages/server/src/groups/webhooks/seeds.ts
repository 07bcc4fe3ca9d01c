import { sha256 } from "../../../test/seed/contents.ts";
import { Draw, idOf } from "../../../test/seed/draw.ts";
import { type Prompt, promptAt, versionId } from "../../../test/seed/prompts.ts";
import { type Account, accountAt, dayMs, type Registry } from "../../../test/seed/registry.ts";
import { at, bytesOf, type Cell, hex, json, list, type Table } from "../../../test/seed/table.ts";

export const seeds: Table[] = [
  {
    name: "webhooks",
    columns: [
      "id",
      "user_id",
      "url",
      "secret_encrypted",
      "secret_key_id",
      "secret_hint",
      "created_at",
      "updated_at",
    ],
    *rows(registry) {
      for (let nth = 0; nth < webhooksOf(registry); nth++) {
        const { id, owner } = webhookAt(registry, nth);
        const url = `https://receiver.example/${nth}`;
        yield [id, owner.id, url, hex(sha256(id)), "", "seed", at(owner.createdMs), at(owner.createdMs)];
      }
    },
  },
  {
    name: "events",
    columns: "day id name prompt_id account_ids watch_levels created_at body fanned_out_at".split(" "),
    *rows(registry) {
      for (const { day, eventId, event, atMs, prompt, owner } of deliveriesOf(registry)) {
        const body = bytesOf(envelope(registry, { eventId, event, atMs, prompt }));
        yield [day, eventId, event, prompt.id, list([owner.id]), "{}", at(atMs), body, at(atMs)];
      }
    },
  },
  {
    name: "deliveries",
    columns: (
      "day id event_day event_id event webhook_id epoch status attempts next_attempt_at response_status " +
      "response_time_ms response_excerpt attempt_log created_at completed_at"
    ).split(" "),
    *rows(registry) {
      for (const delivery of deliveriesOf(registry)) yield deliveryRow(registry, delivery);
    },
  },
];

const ownWebhooks = 20;
/** One account in twenty has one, and `bench` as many as it may. */
const webhooksOf = ({ accounts }: Registry): number => ownWebhooks + Math.floor((accounts - 1) / 20);

function webhookAt(registry: Registry, nth: number): { id: string; owner: Account } {
  const owner = accountAt(registry, nth < ownWebhooks ? 0 : 1 + (nth - ownWebhooks) * 10);
  return { id: idOf("whk", owner.createdMs, nth), owner };
}

interface Delivery {
  nth: number;
  day: string;
  atMs: number;
  event: "prompt.version.created" | "prompt.label.moved";
  eventId: string;
  webhook: string;
  owner: Account;
  prompt: Prompt;
}

/** Of seven deliveries six go to the first webhook of `bench`, one to somebody else. */
function* deliveriesOf(registry: Registry): Generator<Delivery> {
  const { size, untilMs } = registry;
  const count = Math.ceil((size.one.deliveries * 7) / 6);
  const first = promptAt(registry, 0);
  for (let nth = 0; nth < count; nth++) {
    const atMs = untilMs - Math.floor(((count - nth) / count) * size.days * dayMs);
    const event = nth % 50 === 0 ? "prompt.label.moved" : "prompt.version.created";
    const webhook = webhookAt(registry, nth % 7 === 6 ? nth % webhooksOf(registry) : 0);
    const day = at(atMs).slice(0, 10);
    yield {
      nth,
      day,
      atMs,
      event,
      eventId: idOf("evt", atMs, nth),
      webhook: webhook.id,
      owner: webhook.owner,
      prompt: first,
    };
  }
}

function envelope(
  registry: Registry,
  { eventId, event, atMs, prompt }: Pick<Delivery, "eventId" | "event" | "atMs" | "prompt">,
): string {
  const ref = `${prompt.owner.handle}/${prompt.slug}`;
  const url = `https://promptreg.example/${ref}`;
  const version = {
    id: versionId(prompt, 1),
    versionNumber: 1,
    message: null,
    contentHash: `sha256:${sha256(eventId)}`,
    origin: { type: "commit" },
    url: `${url}@1`,
  };
  const label = { name: "production", versionNumber: 1, reason: null };
  const about = event === "prompt.label.moved" ? { label, previousVersionNumber: null } : { version };
  return json({
    id: eventId,
    event,
    createdAt: at(atMs),
    data: { prompt: { id: prompt.id, ref, url }, actor: null, ...about },
  });
}

function deliveryRow(registry: Registry, { nth, day, atMs, event, eventId, webhook }: Delivery): Cell[] {
  const draw = new Draw(registry.number, 13, nth);
  const isRecent = registry.untilMs - atMs < dayMs / 2;
  const status = draw.weighted([
    ["succeeded", 97],
    ["failed", 1.5],
    ["cancelled", 1],
    [isRecent ? "pending" : "succeeded", 0.5],
  ]);
  const attempts = { succeeded: 1, failed: 8, cancelled: 1, pending: 1 }[status] ?? 1;
  const responseStatus = status === "succeeded" ? 204 : 503;
  const responseTimeMs = 20 + draw.below(200);
  const attempt = { at: at(atMs), responseStatus, responseTimeMs, error: null };
  return [
    day,
    idOf("dlv", atMs, nth),
    day,
    eventId,
    event,
    webhook,
    0,
    status,
    attempts,
    status === "pending" ? at(registry.untilMs + dayMs) : null,
    responseStatus,
    responseTimeMs,
    "\\x",
    json(Array.from({ length: attempts }, () => attempt)),
    at(atMs),
    status === "pending" ? null : at(atMs),
  ];
}
