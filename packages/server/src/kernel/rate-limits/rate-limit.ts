import type { RateLimits } from "@promptreg/core";
import type { Logger } from "pino";
import type { Sql } from "../../database/sql.ts";
import { type Charge, RateCounts, type Report } from "./rate-counts.ts";
import { addCounts, deleteOldCounts, readClock } from "./rate-limit.sql.ts";
import { withDatabaseTimeout } from "../failures/database-timeout.ts";
import type { Quota } from "./rate-window.ts";
import type { SecretBox } from "../secrets/secret-box.ts";

/** Limits how many requests pass, over all processes on one database. */
export interface RateLimiter {
  /**
   * Counts a request under each of at least one charge, and gives the tightest quota.
   * @throws {RateLimited} if one quota is used up; then nothing is counted.
   */
  take(charges: readonly Charge[]): Quota;
  /** Uncounts a request, and gives the tightest quota. */
  giveBack(charges: readonly Charge[]): Quota;
  /** The headers `RateLimit-Policy` and `RateLimit`. */
  fields(quota: Quota): Record<string, string>;
  /** Reads the time, and then reconciles about once a second while there are requests. */
  start(): Promise<void>;
  stop(): void;
  /** Exchanges counts with the other processes, and reads the time. Never throws. */
  reconcile(): Promise<void>;
}

const periodMs = 1_000;
/** Each key's digest takes a few microseconds, and requests wait meanwhile. More keys wait for the next round. */
const keysAtOnce = 2_000;
const roundsBetweenDeletions = 60;
/** A clock that seems behind by less than this was only read late. */
const lateMs = 1_000;

/** The time of the database, so that all processes agree where slots begin. */
class SharedClock {
  /** Added to the time of the process. */
  #offsetMs = -Infinity;

  get nowMs(): number {
    return Math.floor(performance.now() + this.#offsetMs);
  }

  /** The time always arrives late, so the highest offset is the best. A much lower one means that the clock was set back. */
  learn(nowMs: number): void {
    const learned = nowMs - performance.now();
    if (learned > this.#offsetMs || learned < this.#offsetMs - lateMs) this.#offsetMs = learned;
  }
}

/** Makes a limiter that counts in memory. Between reconciliations a process does not know what others count. */
export function createRateLimiter({
  sql,
  secrets,
  log,
  limits,
}: {
  sql: Sql;
  secrets: Pick<SecretBox, "rateCounts">;
  log: Logger;
  limits: RateLimits;
}): RateLimiter {
  const counts = new RateCounts(limits);
  const clock = new SharedClock();
  let rounds = 0;
  let isAlone = false;
  let timer: NodeJS.Timeout | undefined;
  let last = Promise.resolve();

  return {
    take: (charges) => counts.take(charges, clock.nowMs),
    giveBack: (charges) => counts.giveBack(charges, clock.nowMs),
    fields: (quota) => counts.fields(quota),
    async start() {
      clock.learn(await readClock(sql));
      timer = setInterval(() => {
        if (counts.hasUnreported) void reconcile();
      }, periodMs).unref();
    },
    stop: () => clearInterval(timer),
    reconcile,
  };

  function reconcile(): Promise<void> {
    last = last.then(exchange);
    return last;
  }

  async function exchange(): Promise<void> {
    const reports = counts.takeUnreported(keysAtOnce, clock.nowMs);
    try {
      // A report without an answer is sent again: it may count twice, but it is never lost.
      await withDatabaseTimeout(send(reports));
      if (isAlone) log.info("rate limits are shared with other processes again");
      isAlone = false;
    } catch (error) {
      counts.keep(reports);
      if (!isAlone) log.warn({ err: error }, "cannot share rate limits: this process counts alone");
      isAlone = true;
    }
  }

  async function send(reports: readonly Report[]): Promise<void> {
    if (reports.length === 0) return clock.learn(await readClock(sql));
    const totals = await addCounts(
      sql,
      reports.map(({ count, ...news }) => {
        count.digest ??= secrets.rateCounts.digest(count.key).toString("hex", 0, 16);
        return { ...news, policy: count.policy.name, keyDigest: count.digest };
      }),
    );
    totals.forEach((total, i) => counts.settle(reports[i]!, total));
    clock.learn(totals[0]!.nowMs);
    if (++rounds % roundsBetweenDeletions === 0) await deleteOldCounts(sql, counts.oldestSlots(clock.nowMs));
  }
}
