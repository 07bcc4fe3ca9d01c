import { setTimeout as delay } from "node:timers/promises";
import { SpanKind } from "@opentelemetry/api";
import { signSync } from "@promptreg/core/webhooks/node";
import { fail, inSpan, ofEvent, traceHeaders } from "../../kernel/telemetry/tracing.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { type Claimed, giveUp, type Held, type Lease, take } from "./drain.sql.ts";
import { failure } from "./outcome.ts";
import { type Attempt, failuresToDisable, record } from "./record.sql.ts";
import { retry } from "./retry.ts";
import { send } from "./send.ts";

/**
 * Concurrent requests at first; each success allows one more. So one request that hangs does not delay others, and an
 * endpoint that is new, slow or failing gets one connection until it answers.
 */
const begunWith = { trusted: 3, others: 1 };
/** How many requests must end before the next are taken, once that many may run. */
const takenAtOnce = 8;
/** Ended attempts wait this long to be recorded together, while others are under way and fewer than `recordedAtOnce` ended. */
const recordAfterMs = 10;
const recordedAtOnce = 8;

/**
 * Sends what is due to one webhook under a lease. Meanwhile it records attempts: all that ended since the last record at
 * once.
 */
export class Drain {
  readonly #server: ServerContext;
  readonly #lease: Lease;
  readonly #held: Held;
  /** Deliveries that were begun and not recorded yet. They must not be taken again. */
  readonly #unrecorded = new Set<string>();
  #ended: Attempt[] = [];
  #isTaking = false;
  /** Under way, without pings and with them. */
  #counting = 0;
  #sending = 0;
  /** In a row, in the order in which attempts ended: those that are recorded, and those that will be. */
  #failures: number;
  #successes = 0;
  /** Whether the last take gave fewer than it asked for. */
  #isDry = false;
  /** Each ping wakes its drain: without a wake there is no need to search all days for one. */
  #hasTests = true;
  #isOver = false;
  #error: Error | undefined;
  #change = Promise.withResolvers<void>();
  #opened?: { secret: Uint8Array; text: string | null };

  constructor(server: ServerContext, lease: Lease, held: Held) {
    this.#server = server;
    this.#lease = lease;
    this.#held = held;
    this.#failures = held.failures;
  }

  /** Something may have come. */
  wake(): void {
    this.#isDry = false;
    this.#hasTests = true;
    this.#tell();
  }

  /** Sends until nothing is due or `mustEnd` says so, records all of it, and gives how many attempts that were. */
  async run(mustEnd: () => boolean): Promise<number> {
    const [, count] = await Promise.all([this.#sendAll(mustEnd), this.#recordAll()]);
    if (this.#error !== undefined) throw this.#error;
    return count;
  }

  async #sendAll(mustEnd: () => boolean): Promise<void> {
    while (this.#error === undefined && !mustEnd()) {
      // Never more are under way than may fail before the webhook is disabled: the last attempts go one by one, and each
      // counts.
      const first = this.#held.isTrusted ? begunWith.trusted : begunWith.others;
      const most = Math.min(failuresToDisable - this.#failures, first + this.#successes);
      const left = most - this.#counting;
      const room = this.#isDry || left < (most > takenAtOnce ? takenAtOnce : 1) ? 0 : left;
      // Pings need no room: they never count, and reach an endpoint that has failed too often.
      if ((room > 0 || this.#hasTests) && !this.#isTaking) void this.#take(room);
      // Without room and with nothing under way, the count of failures must be read again.
      if (this.#sending === 0 && !this.#isTaking) break;
      await this.#change.promise;
    }
    this.#isOver = true;
    this.#tell();
  }

  /** Runs while others are sent. Deliveries are sent as soon as they are taken, so that nothing outdated is sent. */
  async #take(limit: number): Promise<void> {
    const { sql } = this.#server;
    const asked = { limit, except: [...this.#unrecorded], withTests: this.#hasTests };
    this.#isTaking = true;
    if (limit > 0) this.#isDry = true;
    this.#hasTests = false;
    try {
      const due = await take(sql, this.#lease, asked);
      if (limit > 0 && due.length >= limit) this.#isDry = false;
      const withdrawn = due.filter(({ isWithdrawn }) => isWithdrawn);
      if (withdrawn.length > 0) await sql.begin((sql) => giveUp(sql, this.#lease.webhookId, withdrawn));
      // A drain that has to end is about to release the webhook.
      for (const delivery of this.#isOver ? [] : due) if (!delivery.isWithdrawn) void this.#attempt(delivery);
    } catch (error) {
      this.#error = error as Error;
    }
    this.#isTaking = false;
    this.#tell();
  }

  async #attempt(delivery: Claimed): Promise<void> {
    const counts = delivery.event === "ping" ? 0 : 1;
    this.#unrecorded.add(delivery.id);
    this.#sending += 1;
    this.#counting += counts;
    try {
      const secret = this.#open(delivery.secret);
      const attempt = secret === null ? unsigned(delivery) : await attemptTo(this.#server, delivery, secret);
      if (attempt.outcome.ok) this.#successes += 1;
      // A delivery that cannot be signed is not a failure of the receiver.
      if (counts && secret !== null) this.#failures = attempt.outcome.ok ? 0 : this.#failures + 1;
      this.#ended.push(attempt);
    } catch (error) {
      this.#error = error as Error;
      this.#unrecorded.delete(delivery.id);
    }
    this.#sending -= 1;
    this.#counting -= counts;
    this.#tell();
  }

  async #recordAll(): Promise<number> {
    for (let count = 0; ; ) {
      // One record for each would cost more than sending.
      if (this.#ended.length < recordedAtOnce && this.#ended.length > 0 && this.#sending > 0)
        await delay(recordAfterMs);
      const attempts = this.#ended.splice(0);
      if (attempts.length > 0) {
        try {
          this.#held.isSlow = await retry(() => record(this.#server, this.#lease, attempts));
        } catch (error) {
          this.#error = error as Error;
        }
        count += attempts.length;
        for (const { delivery } of attempts) this.#unrecorded.delete(delivery.id);
      } else if (this.#isOver && this.#unrecorded.size === 0) return count;
      else await this.#change.promise;
    }
  }

  /** Null if it was encrypted with another PROMPTREG_SECRET. */
  #open(secret: Uint8Array): string | null {
    if (this.#opened === undefined || Buffer.compare(this.#opened.secret, secret) !== 0) {
      this.#opened = { secret, text: this.#decrypt(secret) };
    }
    return this.#opened.text;
  }

  #decrypt(secret: Uint8Array): string | null {
    try {
      return this.#server.secrets.decrypt(secret);
    } catch {
      const { webhookId } = this.#lease;
      const error = new Error("the secret of a webhook was encrypted with another PROMPTREG_SECRET");
      this.#server.failures.report(error, { operation: "drain", webhookId });
      return null;
    }
  }

  #tell(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}

async function attemptTo(
  { publicUrl, allowUnsafeWebhooks, webhookReach }: ServerContext,
  delivery: Claimed,
  secret: string,
): Promise<Attempt> {
  const { id, event, body, url, traceparent, attempts } = delivery;
  const startedAt = performance.now();
  const attributes = {
    "promptreg.event": event,
    "promptreg.delivery": id,
    "promptreg.attempt": attempts + 1,
  };
  const about = { name: `deliver ${event}`, kind: SpanKind.PRODUCER, attributes };
  return inSpan(about, ofEvent(traceparent), async (span) => {
    const headers = {
      ...traceHeaders(),
      "content-type": "application/json",
      "user-agent": `Service-Webhooks/1.0 (+${publicUrl}/docs/webhooks)`,
      "service-event": event,
      "service-delivery": id,
      "service-signature": signSync(body, secret),
    };
    const outcome = await send({ url, headers, body }, { allowUnsafe: allowUnsafeWebhooks, ...webhookReach });
    if (outcome.responseStatus !== null)
      span?.setAttribute("http.response.status_code", outcome.responseStatus);
    if (outcome.error) fail(span, { code: outcome.error.type });
    return { delivery, outcome, startedAt };
  });
}

/** An attempt that fails before it is made, because every request must be signed. */
function unsigned(delivery: Claimed): Attempt {
  const ending = failure("secret", "The secret of this webhook cannot be read any more. Give it a new one.");
  return { delivery, outcome: { ...ending, responseTimeMs: 0 }, startedAt: performance.now() };
}
