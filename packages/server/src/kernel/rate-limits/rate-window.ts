import type { RateLimit, RatePolicy } from "@promptreg/core";

// A sliding window over slots of the same length. Requests of the previous slot count by the share of it that the window
// still covers, as if they were spread evenly. A slot never passes more than the quota. A burst at the end of one slot and
// another at the end of the next can be in one window: together they stay below twice the quota.

/** A policy with this server's limit. */
export interface Policy {
  readonly name: RatePolicy;
  readonly limit: RateLimit;
  readonly windowMs: number;
}

/** What a key has used in the current slot and the one before, by all processes as far as known. */
export interface Count {
  readonly policy: Policy;
  readonly key: string;
  slot: number;
  used: number;
  usedBefore: number;
  /** The part of `used` and `usedBefore` that this process has not reported. */
  unsent: number;
  unsentBefore: number;
  isWaiting: boolean;
  /** Made for its first report. */
  digest: string | undefined;
}

/** What remains for a key under a policy. */
export interface Quota {
  policy: RatePolicy;
  /** How many more requests pass. */
  remaining: number;
  /** Until the next request passes, if none remains; otherwise until the slot ends. At least 1. */
  resetSeconds: number;
}

/** The number of the slot: windows since 1970. */
export const slotOf = ({ windowMs }: Policy, nowMs: number) => Math.floor(nowMs / windowMs);

/** Moves a count to another slot. Use in older slots than the one before it is dropped. */
export function advance(count: Count, slot: number): void {
  const isNext = slot === count.slot + 1;
  count.usedBefore = isNext ? count.used : 0;
  count.unsentBefore = isNext ? count.unsent : 0;
  count.used = 0;
  count.unsent = 0;
  count.slot = slot;
}

/** How many more requests pass. It can be a fraction. It is negative if other processes have used more than the quota. */
export function freeAt({ policy, slot, used, usedBefore }: Count, nowMs: number): number {
  const { limit, windowMs } = policy;
  const aheadMs = (slot + 1) * windowMs - nowMs;
  return ((limit.quota - used) * windowMs - usedBefore * aheadMs) / windowMs;
}

/** The quota with the smallest share left; among equals, the one that resets last. */
export function tightest(counts: readonly Count[], nowMs: number): Quota {
  let tightest: Quota | undefined;
  let least = Infinity;
  for (const count of counts) {
    const { name, limit } = count.policy;
    const remaining = Math.max(0, Math.floor(freeAt(count, nowMs)));
    const share = remaining / (limit.quota || 1);
    if (share > least) continue;
    const resetSeconds = resetSecondsOf(count, remaining, nowMs);
    if (tightest && share === least && resetSeconds <= tightest.resetSeconds) continue;
    tightest = { policy: name, remaining, resetSeconds };
    least = share;
  }
  return tightest!;
}

function resetSecondsOf({ policy, slot, used, usedBefore }: Count, remaining: number, nowMs: number): number {
  const { limit, windowMs } = policy;
  const aheadMs = (slot + 1) * windowMs - nowMs;
  const others = limit.quota - 1;
  // The quota is 0.
  if (others < 0) return limit.windowSeconds;
  if (remaining > 0) return Math.ceil(aheadMs / 1000);
  // One more passes when enough of the previous slot has left the window. If this slot alone is full, enough of this one.
  const waitMs =
    used <= others
      ? aheadMs - Math.floor(((others - used) * windowMs) / usedBefore)
      : aheadMs + windowMs - Math.floor((others * windowMs) / used);
  return Math.ceil(waitMs / 1000);
}
