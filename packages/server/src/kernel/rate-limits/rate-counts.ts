import { ApiError, errorCatalogue } from "@promptreg/core/errors";
import type { RateLimit, RateLimits, RatePolicy } from "@promptreg/core";
import { advance, type Count, freeAt, type Policy, type Quota, slotOf, tightest } from "./rate-window.ts";
import type { NewCount, Total } from "./rate-limit.sql.ts";

/** One request, counted for one key under one policy. */
export interface Charge {
  policy: RatePolicy;
  /** An address or network, a token's hash, or the id of a target. */
  key: string;
}

/** Refuses a request over its quota. `fields` are the headers of the response. */
export class RateLimited extends ApiError {
  readonly fields: Record<string, string>;

  constructor({ policy, resetSeconds }: Quota, { quota, windowSeconds }: RateLimit, fields: object) {
    const message = `The limit "${policy}" is ${quota} requests in ${windowSeconds} seconds. Try again in ${resetSeconds} seconds.`;
    super({ code: "rate_limited", status: errorCatalogue.rate_limited.status, message });
    this.fields = { ...fields, "retry-after": String(resetSeconds) };
  }
}

/** What this process reports about a count. */
export interface Report extends Pick<NewCount, "slot" | "used" | "usedBefore"> {
  count: Count;
}

/**
 * The counts of a policy, in two generations. A key that is used moves to the young one. When that is full, or the slot ends,
 * it becomes the old one, and the old one is dropped. So nothing has to search for expired keys.
 */
interface Ledger extends Policy {
  slot: number;
  young: Map<string, Count>;
  old: Map<string, Count>;
}

const keysPerGeneration = 50_000;
/** How many keys wait to be reported while the database is unavailable. */
const waitingKeys = 100_000;

/** Counts requests in memory, and knows what it has not reported to other processes. Times are whole milliseconds. */
export class RateCounts {
  #ledgers: Record<RatePolicy, Ledger>;
  #waiting: Count[] = [];

  constructor(limits: RateLimits) {
    const entries = Object.entries(limits) as [RatePolicy, RateLimit][];
    this.#ledgers = Object.fromEntries(
      entries.map(([policy, limit]) => [policy, openLedger(policy, limit)]),
    ) as Record<RatePolicy, Ledger>;
  }

  /**
   * Counts a request under each charge, and gives the tightest quota.
   * @throws {RateLimited} if one quota is used up; then nothing is counted.
   */
  take(charges: readonly Charge[], nowMs: number): Quota {
    const counts = charges.map((charge) => this.#find(charge, nowMs));
    if (counts.some((count) => freeAt(count, nowMs) < 1)) {
      const quota = tightest(counts, nowMs);
      throw new RateLimited(quota, this.#ledgers[quota.policy].limit, this.fields(quota));
    }
    for (const count of counts) {
      count.used++;
      count.unsent++;
      this.#enqueue(count);
    }
    return tightest(counts, nowMs);
  }

  /** Uncounts a request, and gives the tightest quota. */
  giveBack(charges: readonly Charge[], nowMs: number): Quota {
    const counts = charges.map((charge) => this.#find(charge, nowMs));
    for (const count of counts) {
      if (count.used > 0) {
        count.used--;
        count.unsent--;
      } else if (count.usedBefore > 0) {
        count.usedBefore--;
        count.unsentBefore--;
      }
      this.#enqueue(count);
    }
    return tightest(counts, nowMs);
  }

  /** The fields of draft-ietf-httpapi-ratelimit-headers-11. */
  fields({ policy, remaining, resetSeconds }: Quota): Record<string, string> {
    const { quota, windowSeconds } = this.#ledgers[policy].limit;
    return {
      "ratelimit-policy": `"${policy}";q=${quota};w=${windowSeconds}`,
      ratelimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
    };
  }

  get hasUnreported(): boolean {
    return this.#waiting.length > 0;
  }

  /** Reports for at most `max` keys. The caller must settle or keep each. */
  takeUnreported(max: number, nowMs: number): Report[] {
    const counts = this.#waiting.splice(0, max);
    for (const count of counts) count.isWaiting = false;
    return counts
      .filter(({ slot, policy }) => slot >= slotOf(policy, nowMs) - 1)
      .filter(({ unsent, unsentBefore }) => unsent !== 0 || unsentBefore !== 0)
      .map((count) => ({
        count,
        slot: count.slot,
        used: count.unsent,
        usedBefore: count.unsentBefore,
      }));
  }

  /** Applies the answer to a report: `total` is what all processes used together. */
  settle({ count, slot, used, usedBefore }: Report, total: Total): void {
    if (count.slot === slot) {
      count.unsent -= used;
      count.unsentBefore -= usedBefore;
      count.used = total.used + count.unsent;
      count.usedBefore = total.usedBefore + usedBefore + count.unsentBefore;
    } else if (count.slot === slot + 1) {
      count.unsentBefore -= used;
      count.usedBefore = total.used + count.unsentBefore;
    }
  }

  /** Queues reports again that did not arrive. */
  keep(reports: readonly Report[]): void {
    for (const { count } of reports) this.#enqueue(count);
  }

  /** The oldest slot of each policy that still counts. */
  oldestSlots(nowMs: number): { policy: RatePolicy; slot: number }[] {
    return Object.values(this.#ledgers).map((ledger) => ({
      policy: ledger.name,
      slot: slotOf(ledger, nowMs) - 1,
    }));
  }

  #find({ policy, key }: Charge, nowMs: number): Count {
    const ledger = this.#ledgers[policy];
    const slot = slotOf(ledger, nowMs);
    if (slot !== ledger.slot) {
      turn(ledger);
      ledger.slot = slot;
    }
    let count = ledger.young.get(key);
    if (count === undefined) {
      if (ledger.young.size >= keysPerGeneration) turn(ledger);
      count = ledger.old.get(key) ?? newCount(ledger, key);
      ledger.young.set(count.key, count);
    }
    if (count.slot !== slot) advance(count, slot);
    return count;
  }

  #enqueue(count: Count): void {
    if (count.isWaiting || this.#waiting.length >= waitingKeys) return;
    count.isWaiting = true;
    this.#waiting.push(count);
  }
}

const openLedger = (name: RatePolicy, limit: RateLimit): Ledger => ({
  name,
  limit,
  windowMs: limit.windowSeconds * 1000,
  slot: 0,
  young: new Map(),
  old: new Map(),
});

const newCount = (ledger: Ledger, key: string): Count => ({
  policy: ledger,
  // A copy: a substring of a header would keep the whole header in memory.
  key: Buffer.from(key).toString(),
  slot: ledger.slot,
  used: 0,
  usedBefore: 0,
  unsent: 0,
  unsentBefore: 0,
  isWaiting: false,
  digest: undefined,
});

function turn(ledger: Ledger): void {
  ledger.old = ledger.young;
  ledger.young = new Map();
}
