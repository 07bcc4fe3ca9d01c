import { isThorough } from "../../../../core/src/testing/growth.ts";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { rateLimits } from "@promptreg/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Charge, RateCounts, RateLimited } from "./rate-counts.ts";

/** The start of a slot for every window here, so that `at` gives seconds into a slot. */
const startMs = Date.parse("2026-08-01T12:00:00Z");
const at = (seconds: number) => startMs + seconds * 1000;
const read: Charge[] = [{ policy: "read", key: "tok_1" }];

/** Counts with another quota for the policy `read`. */
const countsOf = (quota: number, windowSeconds = 60) =>
  new RateCounts({ ...rateLimits, read: { per: "token", quota, windowSeconds } });

/** Whether a request passes, and if not, how long it has to wait. */
function ask(counts: RateCounts, nowMs: number, charges = read) {
  try {
    counts.take(charges, nowMs);
    return { passes: true, waitSeconds: 0 };
  } catch (error) {
    if (!(error instanceof RateLimited)) throw error;
    return { passes: false, waitSeconds: Number(error.fields["retry-after"]) };
  }
}

function use(counts: RateCounts, times: number, nowMs: number, charges = read): void {
  for (let i = 0; i < times; i++) counts.take(charges, nowMs);
}

describe("a request within the quota", () => {
  test("passes, and its headers say what remains until the slot ends", () => {
    const counts = new RateCounts(rateLimits);
    counts.take(read, at(18));
    expect(counts.fields(counts.take(read, at(18)))).toEqual({
      "ratelimit-policy": '"read";q=6000;w=60',
      ratelimit: '"read";r=5998;t=42',
    });
  });

  test("gets headers about the policy with the smallest share left", () => {
    const counts = new RateCounts(rateLimits);
    const charges: Charge[] = [
      { policy: "ip", key: "192.0.2.1" },
      { policy: "evals", key: "tok_1" },
      { policy: "write", key: "tok_1" },
    ];
    expect(counts.take(charges, at(0))).toMatchObject({ policy: "evals", remaining: 119 });
    use(counts, 5900, at(0), charges.slice(0, 1));
    expect(counts.take(charges, at(0))).toMatchObject({ policy: "ip", remaining: 98 });
  });

  test("does not count for other keys or policies", () => {
    const counts = countsOf(1);
    counts.take(read, at(0));
    expect(ask(counts, at(0), [{ policy: "read", key: "tok_2" }]).passes).toBe(true);
    expect(ask(counts, at(0), [{ policy: "write", key: "tok_1" }]).passes).toBe(true);
  });
});

describe("a request over the quota", () => {
  test("gets the policy and the time to wait, in headers and message", () => {
    const counts = countsOf(10);
    use(counts, 10, at(18));
    expect(() => counts.take(read, at(18))).toThrow(
      expect.objectContaining({
        status: 429,
        code: "rate_limited",
        message: 'The limit "read" is 10 requests in 60 seconds. Try again in 48 seconds.',
        fields: {
          "ratelimit-policy": '"read";q=10;w=60',
          ratelimit: '"read";r=0;t=48',
          "retry-after": "48",
        },
      }),
    );
  });

  test("counts under none of its policies, so that retries do not make the wait longer", () => {
    const counts = countsOf(1);
    const both: Charge[] = [{ policy: "write", key: "tok_1" }, ...read];
    counts.take(both, at(0));
    for (let i = 0; i < 2000; i++) expect(ask(counts, at(30), both).passes).toBe(false);
    expect(counts.take([{ policy: "write", key: "tok_1" }], at(30)).remaining).toBe(1198);
    expect(ask(counts, at(119), both).passes).toBe(false);
    expect(ask(counts, at(120), both).passes).toBe(true);
  });

  test("gets the longest wait, if several limits are used up", () => {
    const counts = countsOf(1);
    const both: Charge[] = [...read, { policy: "auth", key: "192.0.2.1" }];
    use(counts, 19, at(0), both.slice(1));
    counts.take(both, at(0));
    // 600 seconds to the end of the slot, and a twentieth of the next.
    expect(ask(counts, at(0), both)).toMatchObject({ waitSeconds: 630 });
    expect(ask(counts, at(629), both.slice(1)).passes).toBe(false);
    expect(ask(counts, at(630), both).passes).toBe(true);
  });

  test("passes exactly after the time to wait, if nothing else comes", () => {
    const request = fc.record({ afterMs: fc.nat(20_000), times: fc.integer({ min: 1, max: 12 }) });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.array(request),
        fc.nat(20_000),
        (quota, earlier, late) => {
          const counts = countsOf(quota, 10);
          let nowMs = startMs;
          for (const { afterMs, times } of earlier) {
            nowMs += afterMs;
            for (let i = 0; i < times; i++) ask(counts, nowMs);
          }
          nowMs += late;
          let answer = ask(counts, nowMs);
          while (answer.passes) answer = ask(counts, nowMs);
          const { waitSeconds } = answer;
          expect(waitSeconds).toBeGreaterThanOrEqual(1);
          expect(waitSeconds).toBeLessThanOrEqual(20);
          if (waitSeconds > 1) expect(ask(counts, nowMs + (waitSeconds - 1) * 1000).passes).toBe(false);
          expect(ask(counts, nowMs + waitSeconds * 1000).passes).toBe(true);
        },
      ),
      { numRuns: isThorough ? 1000 : 200 },
    );
  });
});

describe("the window slides:", () => {
  test("use in the previous slot counts by the share that the window still covers", () => {
    const counts = countsOf(100);
    use(counts, 100, at(59));
    expect(ask(counts, at(60)).passes).toBe(false);
    expect(counts.take(read, at(90))).toEqual({ policy: "read", remaining: 49, resetSeconds: 30 });
    expect(counts.take(read, at(120)).remaining).toBe(98);
    expect(counts.take(read, at(240)).remaining).toBe(99);
  });

  test("a slot never passes more than its quota, and a window at most the share of the previous slot more", () => {
    const windowMs = 1000;
    const steps = fc.array(fc.oneof(fc.nat(20), fc.nat(1500)), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), steps, (quota, waits) => {
        const counts = countsOf(quota, 1);
        const passed: number[] = [];
        let nowMs = startMs;
        for (const waitMs of waits) {
          nowMs += waitMs;
          const slotMs = nowMs - (nowMs % windowMs);
          const since = (ms: number) => passed.filter((passedMs) => passedMs >= ms).length;
          const inSlot = since(slotMs);
          const before = since(slotMs - windowMs) - inSlot;
          if (ask(counts, nowMs).passes) {
            passed.push(nowMs);
            expect(inSlot + 1).toBeLessThanOrEqual(quota);
            const share = (nowMs - slotMs) / windowMs;
            expect(since(nowMs - windowMs + 1)).toBeLessThanOrEqual(quota + before * share);
          } else {
            // Fewer requests than the quota in two slots are never refused.
            expect(inSlot + before).toBeGreaterThanOrEqual(quota);
          }
        }
      }),
      { numRuns: isThorough ? 1000 : 200 },
    );
  });

  test("a clock that is set back makes nobody wait longer", () => {
    const counts = countsOf(1);
    counts.take(read, at(36_000));
    expect(ask(counts, at(0)).passes).toBe(true);
    expect(ask(counts, at(0)).passes).toBe(false);
  });
});

describe("an uncounted request", () => {
  test("lets another one pass", () => {
    const counts = countsOf(1);
    counts.take(read, at(0));
    expect(counts.giveBack(read, at(1)).remaining).toBe(1);
    expect(ask(counts, at(1)).passes).toBe(true);
  });

  test("is subtracted from the previous slot, if its slot has ended meanwhile", () => {
    const counts = countsOf(2);
    use(counts, 2, at(59));
    expect(counts.giveBack(read, at(60)).remaining).toBe(1);
  });

  test("never leaves more than the quota", () => {
    const counts = countsOf(1);
    expect(counts.giveBack(read, at(0)).remaining).toBe(1);
    counts.take(read, at(0));
    expect(counts.giveBack(read, at(200)).remaining).toBe(1);
  });
});

describe("a report to other processes", () => {
  const total = { used: 9, usedBefore: 0, nowMs: 0 };

  test("adds what they used, and keeps what came meanwhile for the next report", () => {
    const counts = countsOf(20);
    use(counts, 3, at(0));
    const [told] = counts.takeUnreported(10, at(1));
    expect(told).toMatchObject({ used: 3, usedBefore: 0 });
    use(counts, 2, at(1));
    counts.settle(told!, total);
    expect(counts.take(read, at(1)).remaining).toBe(8);
    expect(counts.takeUnreported(10, at(1))).toMatchObject([{ used: 3, usedBefore: 0 }]);
  });

  test("counts for the previous slot, if its slot has ended before the answer", () => {
    const counts = countsOf(20);
    use(counts, 3, at(59));
    const [told] = counts.takeUnreported(10, at(59));
    use(counts, 1, at(59));
    use(counts, 2, at(60));
    counts.settle(told!, total);
    // Two in this slot; in the previous one, nine that they know and one that they do not.
    expect(counts.take(read, at(60)).remaining).toBe(7);
    expect(counts.takeUnreported(10, at(60))).toMatchObject([{ used: 3, usedBefore: 1 }]);
  });

  test("of the slot before adds what was told of it now to what others used", () => {
    const counts = countsOf(20);
    use(counts, 3, at(59));
    use(counts, 2, at(60));
    const [told] = counts.takeUnreported(10, at(60));
    expect(told).toMatchObject({ used: 2, usedBefore: 3 });
    counts.settle(told!, { used: 4, usedBefore: 5, nowMs: 0 });
    expect(counts.take(read, at(60)).remaining).toBe(7);
  });

  test("is sent for the slot before too, and for no older one", () => {
    const counts = countsOf(20);
    use(counts, 3, at(59));
    const told = counts.takeUnreported(10, at(119));
    expect(told).toMatchObject([{ used: 3, usedBefore: 0 }]);
    counts.keep(told);
    expect(counts.takeUnreported(10, at(120))).toEqual([]);
  });

  test("is sent again if it did not arrive", () => {
    const counts = countsOf(20);
    use(counts, 3, at(0));
    counts.keep(counts.takeUnreported(10, at(1)));
    expect(counts.takeUnreported(10, at(1))).toMatchObject([{ used: 3 }]);
    expect(counts.takeUnreported(10, at(1))).toEqual([]);
  });
});

describe("a quota", () => {
  test("of 0 lets nothing pass, and the wait is a window", () => {
    expect(ask(countsOf(0), at(18))).toMatchObject({ passes: false, waitSeconds: 60 });
  });

  test("of 1 lets one pass, and the next one when the slot after it has ended", () => {
    const counts = countsOf(1);
    expect(counts.take(read, at(18))).toEqual({ policy: "read", remaining: 0, resetSeconds: 102 });
    expect(ask(counts, at(18))).toMatchObject({ waitSeconds: 102 });
  });

  test("with a window of one second has waits of whole seconds", () => {
    const counts = countsOf(2, 1);
    expect(counts.take(read, at(0) + 999)).toEqual({ policy: "read", remaining: 1, resetSeconds: 1 });
    counts.take(read, at(0) + 999);
    expect(ask(counts, at(0) + 999)).toMatchObject({ waitSeconds: 1 });
  });
});

describe("with 400,000 keys that are substrings of long headers,", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const counts = countsOf(2);
  const key = (n: number): Charge[] => [
    { policy: "read", key: `${"-".repeat(4000)}key number ${n}`.slice(4000) },
  ];
  collect();
  const { heapUsed } = process.memoryUsage();
  const grownBytes = () => {
    collect();
    return process.memoryUsage().heapUsed - heapUsed;
  };

  test("a limited number stays in memory, and those in use are among them", { tags: "long" }, () => {
    use(counts, 2, at(0), key(0));
    use(counts, 2, at(0));
    for (let n = 1; n <= 400_000; n++) {
      counts.take(key(n), at(0));
      if (n % 10_000 === 0) expect(ask(counts, at(0)).passes).toBe(false);
    }
    expect(ask(counts, at(0), key(0)).passes).toBe(true);
    expect(grownBytes()).toBeLessThan(50_000_000);
  });

  test("nothing is left two windows later", () => {
    ask(counts, at(60));
    ask(counts, at(120));
    expect(counts.takeUnreported(1_000_000, at(120)).map(({ count }) => count.key)).toEqual(["tok_1"]);
    // A tenth of what is there where only a full generation is dropped.
    expect(grownBytes()).toBeLessThan(5_000_000);
  });
});
