import { setTimeout as delay } from "node:timers/promises";
import { signSync } from "@promptreg/core/webhooks/node";
import type { ServerContext } from "../../kernel/server-context.ts";
import {
  type Attempt,
  type Claimed,
  type Held,
  type Lease,
  leaseSeconds,
  record,
  take,
} from "./drain.sql.ts";
import { send } from "./send.ts";

/** An attempt that has ended is recorded together with others, but waits no longer for them. */
const recordAfterMs = 100;
const recordAtOnce = 8;
/** How long to wait before trying again to record, when the database is away. */
const pauseMs = 500;

/** Sends what is due to a webhook that is held, until nothing is or `isOver` says so; gives how much that was. */
export async function drain(
  server: ServerContext,
  { lease, held, isOver }: { lease: Lease; held: Held; isOver: () => boolean },
): Promise<number> {
  /** What was taken and is not recorded yet. */
  const underWay = new Set<string>();
  const ended = new Gathering<Attempt>();
  for (let count = 0; ; ) {
    const due = isOver() ? [] : await take(server.sql, lease, [...underWay]);
    for (const delivery of due) {
      underWay.add(delivery.id);
      attempt(server, delivery).then(
        (attempt) => ended.add(attempt),
        (error) => ended.fail(error),
      );
    }
    if (underWay.size === 0) return count;
    const attempts = await ended.next(underWay.size);
    held.isSlow = await insist(() => record(server, lease, attempts));
    count += attempts.length;
    for (const { delivery } of attempts) underWay.delete(delivery.id);
  }
}

async function attempt(
  { secrets, publicUrl, allowUnsafeWebhooks }: ServerContext,
  delivery: Claimed,
): Promise<Attempt> {
  const { id, event, body, url, secret } = delivery;
  const startedAt = performance.now();
  const headers = {
    "content-type": "application/json",
    "user-agent": `Service-Webhooks/1.0 (+${publicUrl}/docs/webhooks)`,
    "service-event": event,
    "service-delivery": id,
    "service-signature": signSync(body, secrets.decrypt(secret)),
  };
  const outcome = await send({ url, headers, body }, { allowUnsafe: allowUnsafeWebhooks });
  return { delivery, outcome, startedAt };
}

/** Tries again while the lease may still be ours: what endpoints have answered should not have to be sent anew. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() - startedAt > leaseSeconds * 1000) throw error;
      await delay(pauseMs);
    }
  }
}

/** Collects what ends one by one, and gives it out in batches. */
class Gathering<T> {
  #items: T[] = [];
  #wanted = 1;
  #enough = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;

  add(item: T): void {
    this.#items.push(item);
    if (this.#items.length >= this.#wanted) this.#enough.resolve();
    else this.#timer ??= setTimeout(() => this.#enough.resolve(), recordAfterMs);
  }

  fail(error: unknown): void {
    this.#enough.reject(error);
  }

  /** The next batch: a handful, or all that can still come, or what came soon after the first. */
  async next(mostToCome: number): Promise<T[]> {
    this.#wanted = Math.min(recordAtOnce, mostToCome);
    if (this.#items.length < this.#wanted) await this.#enough.promise;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#enough = Promise.withResolvers();
    return this.#items.splice(0);
  }
}
