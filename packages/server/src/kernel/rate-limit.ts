import type { RateLimits } from "@promptreg/core";
import type { Logger } from "pino";
import type { Sql } from "../database/sql.ts";
import { type Charge, RateCounts, type Report } from "./rate-counts.ts";
import { addCounts, forgetCounts, readClock } from "./rate-limit.sql.ts";
import { patiently } from "./patience.ts";
import type { Quota } from "./rate-window.ts";
import type { SecretBox } from "./secret-box.ts";

/** Limits how many requests pass, over all processes on one database. */
export interface RateLimiter {
  /**
   * Counts a request under each charge, of which there is at least one, and gives the tightest quota.
   * @throws {RateLimited} when one is used up; then none counts.
   */
  take(charges: readonly Charge[]): Quota;
  /** Takes a request back that turned out not to count, and gives the tightest quota. */
  giveBack(charges: readonly Charge[]): Quota;
  /** The fields that tell a client of a quota, `RateLimit-Policy` and `RateLimit`. */
  fields(quota: Quota): Record<string, string>;
  /** Learns the time, and from then on reconciles about once a second while requests come. */
  start(): Promise<void>;
  stop(): void;
  /** Tells the other processes what was counted here, and learns the time and what they counted. Never throws. */
  reconcile(): Promise<void>;
}

const periodMs = 1_000;
/** Their digests take a few microseconds each, for which requests wait. What is more waits for its turn. */
const keysAtOnce = 2_000;
const roundsBetweenForgetting = 60;
/** A clock that is behind by less is only known late. */
const lateMs = 1_000;

/** Makes a limiter that counts in memory: between two reconciliations each process knows only what it counted itself. */
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
  /** What to add to the time of the process for that of the database, by which slots line up everywhere. */
  let offsetMs = -Infinity;
  let rounds = 0;
  let isAlone = false;
  let timer: NodeJS.Timeout | undefined;
  let last = Promise.resolve();

  return {
    take: (charges) => counts.take(charges, currentMs()),
    giveBack: (charges) => counts.giveBack(charges, currentMs()),
    fields: (quota) => counts.fields(quota),
    async start() {
      learn(await readClock(sql));
      timer = setInterval(() => {
        if (counts.hasNews) void reconcile();
      }, periodMs).unref();
    },
    stop: () => clearInterval(timer),
    reconcile,
  };

  function currentMs(): number {
    return Math.floor(performance.now() + offsetMs);
  }

  /** The time always comes late, so that the latest is the best; it goes back only if the clock was turned. */
  function learn(nowMs: number): void {
    const learned = nowMs - performance.now();
    if (learned > offsetMs || learned < offsetMs - lateMs) offsetMs = learned;
  }

  function reconcile(): Promise<void> {
    last = last.then(exchange);
    return last;
  }

  async function exchange(): Promise<void> {
    const reports = counts.takeNews(keysAtOnce, currentMs());
    try {
      // What was told and not answered is told again: it may count twice, but is never lost.
      await patiently(tell(reports));
      if (isAlone) log.info("rate limits are counted together again");
      isAlone = false;
    } catch (error) {
      counts.keep(reports);
      if (!isAlone) log.warn({ err: error }, "rate limits are counted by this process alone");
      isAlone = true;
    }
  }

  async function tell(reports: readonly Report[]): Promise<void> {
    if (reports.length === 0) return learn(await readClock(sql));
    const totals = await addCounts(
      sql,
      reports.map(({ count, ...news }) => {
        count.digest ??= secrets.rateCounts.digest(count.key).toString("hex", 0, 16);
        return { ...news, policy: count.policy.name, keyDigest: count.digest };
      }),
    );
    totals.forEach((total, i) => counts.settle(reports[i]!, total));
    learn(totals[0]!.nowMs);
    if (++rounds % roundsBetweenForgetting === 0) await forgetCounts(sql, counts.oldestSlots(currentMs()));
  }
}
