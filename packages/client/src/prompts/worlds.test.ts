import { isThorough } from "../../../core/src/testing/growth.ts";
import fc from "fast-check";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { foreignVersion, type World, worlds, worldOf } from "../../test/worlds.ts";

// Loaded before, since fake timers do not wait for an import.
beforeAll(() => import("./stored.ts"));
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ms = fc.oneof(fc.constantFrom(0, 1, 500, 1_000), fc.nat({ max: 20_000 }), fc.nat({ max: 7_200_000 }));
const slug = fc.constantFrom("one", "two");
type Step =
  | { becomes: World }
  | { passesMs: number }
  | { clockJumpsMs: number }
  | { slug: string; hasFallback: boolean }
  | { clears: true };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ becomes: fc.constantFrom(...worlds) }) },
  { weight: 4, arbitrary: fc.record({ passesMs: ms }) },
  { weight: 1, arbitrary: fc.record({ clockJumpsMs: fc.integer({ min: -36_000_000, max: 36_000_000 }) }) },
  { weight: 8, arbitrary: fc.record({ slug, hasFallback: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ clears: true as const }) },
);

test("in every sequence of events, a get serves nothing refused or foreign, waits no longer than its limit, and is single-flight", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const world = worldOf();
      for (const one of steps) {
        if ("becomes" in one) world.become(one.becomes);
        else if ("passesMs" in one) await vi.advanceTimersByTimeAsync(one.passesMs);
        else if ("clockJumpsMs" in one) vi.setSystemTime(Math.max(0, Date.now() + one.clockJumpsMs));
        else if ("clears" in one) world.clear();
        else world.get(one.slug, one.hasFallback);
        await vi.advanceTimersByTimeAsync(0);
      }
      // By then every request and every get has ended.
      await vi.advanceTimersByTimeAsync(300_000);
      expect(world.violations).toEqual([]);
      expect(world.waiting()).toBe(0);
      expect(vi.getTimerCount()).toBe(0);
      expect(JSON.stringify(world.served)).not.toContain(`"version":${foreignVersion}`);
    }),
    { numRuns: isThorough ? 300 : 100 },
  );
});
