/** What people and programs do with prompts: watches, evals, webhooks and their deliveries, repeated requests. */
import { Draw, idOf } from "./draw.ts";
import { sha256 } from "./contents.ts";
import { type Prompt, promptAt, promptsOf, versionId } from "./prompts.ts";
import { type Account, accountAt, dayMs, type Registry } from "./registry.ts";
import { at, bytesOf, type Cell, hex, json, list, type Table } from "./table.ts";

export const activityTables: Table[] = [
  {
    name: "watches",
    columns: ["prompt_id", "user_id", "level", "watched_at"],
    *rows(registry) {
      const { size, accounts } = registry;
      // Others than `bench`, which watches what is spread over all prompts.
      const step = Math.floor(size.prompts / (size.one.watches + 1));
      for (const prompt of promptsOf(registry)) {
        const nth = prompt.index / step;
        if (Number.isInteger(nth) && nth > 0 && nth <= size.one.watches) yield watchRow(registry, prompt, 0);
        for (let watcher = 0; watcher < prompt.watchers; watcher++) {
          yield watchRow(registry, prompt, 1 + ((prompt.index + watcher) % (accounts - 1)));
        }
      }
    },
  },
  {
    name: "eval_runs",
    columns: (
      "id prompt_id version_n model params threshold status verdict verdict_source summary created_by created_at " +
      "heard_at finished_at"
    ).split(" "),
    *rows(registry) {
      for (const prompt of promptsOf(registry)) {
        for (let nth = 0; nth < prompt.runs; nth++) yield runRow(registry, prompt, nth);
      }
    },
  },
  {
    name: "eval_results",
    columns: (
      "id run_id case_key attempt index status score output output_truncated assertions latency_ms input_tokens " +
      "output_tokens cost_usd"
    ).split(" "),
    *rows(registry) {
      for (const prompt of promptsOf(registry)) {
        for (let nth = 0; nth < prompt.runs; nth++) {
          const results = resultsOf(registry, prompt, nth);
          for (let index = 0; index < results; index++) yield resultRow(registry, { prompt, nth, index });
        }
      }
    },
  },
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
        yield [
          id,
          owner.id,
          url,
          hex(sha256(id)),
          "seeded",
          "seed",
          at(owner.createdMs),
          at(owner.createdMs),
        ];
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
  {
    name: "idempotency_keys",
    columns: ["user_id", "operation", "key", "request_hash", "status", "headers", "body", "created_at"],
    *rows(registry) {
      const count = Math.min(5_000, registry.size.prompts / 4);
      for (let nth = 0; nth < count; nth++) {
        const { id } = accountAt(registry, nth % registry.accounts);
        // Of the day that goes on: were most of them past their 24 hours, a sweep would rightly read all.
        const createdMs = registry.untilMs + Math.floor((dayMs * nth) / count);
        const key = `key-${nth}`;
        yield [id, "POST /api/v1/prompts", key, hex(sha256(key)), 201, "{}", "{}", at(createdMs)];
      }
    },
  },
];

function watchRow(registry: Registry, { id, index, publishedMs }: Prompt, account: number): Cell[] {
  const draw = new Draw(registry.number, 10, index, account);
  const level = draw.weighted([
    ["releases", 60],
    ["all", 35],
    ["ignore", 5],
  ]);
  const atMs = publishedMs + Math.floor((registry.untilMs - publishedMs) * draw.fraction());
  return [id, accountAt(registry, account).id, level, at(atMs)];
}

const resultsOf = ({ size }: Registry, { index, runs }: Prompt, nth: number): number =>
  index === 0 ? (nth === runs - 1 ? size.one.results : 0) : 4;

const runAt = ({ untilMs }: Registry, { index, runs, committedMs }: Prompt, nth: number) => {
  const createdMs = committedMs + Math.floor(((untilMs - committedMs) * nth) / (runs + 1));
  return { id: idOf("run", createdMs, index * 8_192 + nth), createdMs };
};

export const runId = (registry: Registry, prompt: Prompt, nth: number) => runAt(registry, prompt, nth).id;

function runRow(registry: Registry, prompt: Prompt, nth: number): Cell[] {
  const draw = new Draw(registry.number, 11, prompt.index, nth);
  const { id, createdMs } = runAt(registry, prompt, nth);
  const total = resultsOf(registry, prompt, nth);
  const isFailed = draw.happens(0.01);
  const verdict = isFailed ? null : draw.happens(0.8) ? "pass" : "fail";
  const counts = {
    total,
    passed: total,
    failed: 0,
    errored: 0,
    skipped: 0,
    passRate: total ? 1 : null,
    score: null,
  };
  const sums = { latencyMsP50: null, latencyMsP95: null, inputTokens: 0, outputTokens: 0, costUsd: 0 };
  return [
    id,
    prompt.id,
    1 + draw.below(prompt.versions),
    `model-${draw.skewed(8)}`,
    "{}",
    1,
    isFailed ? "failed" : "completed",
    verdict,
    verdict && "computed",
    json({ ...counts, ...sums }),
    prompt.owner.id,
    at(createdMs),
    at(createdMs),
    at(createdMs),
  ];
}

function resultRow(
  registry: Registry,
  { prompt, nth, index }: { prompt: Prompt; nth: number; index: number },
): Cell[] {
  const draw = new Draw(registry.number, 12, prompt.index, nth, index);
  const run = runAt(registry, prompt, nth);
  const status = draw.weighted([
    ["passed", 90],
    ["failed", 8],
    ["errored", 1],
    ["skipped", 1],
  ]);
  const latencyMs = 200 + draw.below(3_000);
  return [
    // Of large runs alone there are so many that their numbers have to differ from those of all prompts.
    idOf("res", run.createdMs + index, prompt.index * 400_000 + nth * 4 + index),
    run.id,
    `case-${index}`,
    1,
    index,
    status,
    status === "passed" ? 1 : 0,
    "It is as it should be.",
    false,
    json([{ type: "contains", passed: status === "passed", score: null, reason: "" }]),
    latencyMs,
    100 + draw.below(400),
    20 + draw.below(200),
    0.0001,
  ];
}

const ownWebhooks = 20;
/** One account in twenty has one, and `bench` as many as it may. */
const webhooksOf = ({ accounts }: Registry): number => ownWebhooks + Math.floor((accounts - 1) / 20);

export function webhookAt(registry: Registry, nth: number): { id: string; owner: Account } {
  const owner = accountAt(registry, nth < ownWebhooks ? 0 : 1 + (nth - ownWebhooks) * 20);
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
