import { setTimeout as delay } from "node:timers/promises";
import { signSync } from "@promptreg/core/webhooks/node";
import type { ServerContext } from "../../kernel/server-context.ts";
import { type Claimed, giveUp, type Held, type Lease, take } from "./drain.sql.ts";
import { failure } from "./outcome.ts";
import { type Attempt, failuresToDisable, record } from "./record.sql.ts";
import { retry } from "./retry.ts";
import { send } from "./send.ts";

/**
 * Requests at once at first; each that succeeds allows one more. So one request that hangs holds no others up, and an
 * endpoint that is new, slow or failing holds one connection until it answers.
 */
const begunWith = { trusted: 3, others: 1 };
/** So many requests must have ended before others are taken, where there may be more at all. */
const takenAtOnce = 8;
/** What has ended waits this long for others to be recorded with it, while some are under way and fewer have ended. */
const recordAfterMs = 10;
const recordedAtOnce = 8;

/**
 * Sends what is due to one webhook that is held. What ends is recorded beside the sending, all that has ended since the
 * last record at once.
 */
export class Drain {
  readonly #server: ServerContext;
  readonly #lease: Lease;
  readonly #held: Held;
  /** What was begun and is not recorded yet: neither may be taken again. */
  readonly #unrecorded = new Set<string>();
  #ended: Attempt[] = [];
  #isTaking = false;
  /** Under way, without tests and with them. */
  #counting = 0;
  #sending = 0;
  /** In a row, in the order in which attempts ended: those that are recorded, and those that will be. */
  #failures: number;
  #successes = 0;
  /** Whether there was less than was asked for when it was last looked. */
  #isDry = false;
  /** Each test wakes its drain: who was not woken need not look through all days for one. */
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

  /** Sends until nothing is due or `mustEnd` says so, and ends when all is recorded; gives how much that was. */
  async run(mustEnd: () => boolean): Promise<number> {
    const [, count] = await Promise.all([this.#sendAll(mustEnd), this.#recordAll()]);
    if (this.#error !== undefined) throw this.#error;
    return count;
  }

  async #sendAll(mustEnd: () => boolean): Promise<void> {
    while (this.#error === undefined && !mustEnd()) {
      // Never more is under way than may fail before the webhook is disabled: its last attempts go one by one, and none
      // is made that could not count.
      const first = this.#held.isTrusted ? begunWith.trusted : begunWith.others;
      const most = Math.min(failuresToDisable - this.#failures, first + this.#successes);
      const left = most - this.#counting;
      const room = this.#isDry || left < (most > takenAtOnce ? takenAtOnce : 1) ? 0 : left;
      // Tests need no room: they never count, and reach an endpoint that has failed too often.
      if ((room > 0 || this.#hasTests) && !this.#isTaking) void this.#take(room);
      // Without room and with nothing under way, the count of failures has to be read anew.
      if (this.#sending === 0 && !this.#isTaking) break;
      await this.#change.promise;
    }
    this.#isOver = true;
    this.#tell();
  }

  /** Beside what is under way; what is taken is begun at once, so that nothing old is sent. */
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
      // Who was told to end meanwhile is about to let the webhook go.
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
      // What could not be signed is no failure of the receiver.
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
      // One by one they would cost more than they took.
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
      this.#server.failures.tell(error, { operation: "drain", webhookId });
      return null;
    }
  }

  #tell(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}

async function attemptTo(
  { publicUrl, allowUnsafeWebhooks }: ServerContext,
  delivery: Claimed,
  secret: string,
): Promise<Attempt> {
  const { id, event, body, url } = delivery;
  const startedAt = performance.now();
  const headers = {
    "content-type": "application/json",
    "user-agent": `Service-Webhooks/1.0 (+${publicUrl}/docs/webhooks)`,
    "service-event": event,
    "service-delivery": id,
    "service-signature": signSync(body, secret),
  };
  const outcome = await send({ url, headers, body }, { allowUnsafe: allowUnsafeWebhooks });
  return { delivery, outcome, startedAt };
}

/** An attempt that fails before it is made, as what comes to the receiver must be signed. */
function unsigned(delivery: Claimed): Attempt {
  const ending = failure("secret", "The secret of this webhook cannot be read any more. Give it a new one.");
  return { delivery, outcome: { ...ending, responseTimeMs: 0 }, startedAt: performance.now() };
}
