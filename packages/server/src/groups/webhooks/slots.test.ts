import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Slots } from "./slots.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const quick = (userId: string) => ({ userId, isSlow: false });

/** So many webhooks, each of another account, ask for a slot. */
const request = (slots: Slots, count: number) =>
  Array.from({ length: count }, (_, i) => slots.request(`webhook-${i}`, quick(`owner-${i}`)));

test("when all slots are taken, the next webhook waits, and gets the one that becomes free", () => {
  const slots = new Slots();
  const [first] = request(slots, 200);
  expect(slots.request("late", quick("late"))).toBeNull();
  expect(slots.next()).toBeNull();
  slots.free(first!);
  expect(slots.next()).toMatchObject({ webhookId: "late" });
});

test("a webhook that had its time leaves when another waits, and then waits itself", () => {
  const slots = new Slots();
  const [first] = request(slots, 200);
  vi.advanceTimersByTime(20_001);
  expect(slots.mustLeave(first!)).toBe(false);
  slots.request("late", quick("late"));
  expect(slots.mustLeave(first!)).toBe(true);
  slots.free(first!);
  expect(slots.waiting).toEqual(["late", "webhook-0"]);
  const next = slots.next()!;
  vi.advanceTimersByTime(20_000);
  expect(slots.mustLeave(next)).toBe(false);
});

test("a webhook that turned slow leaves when slow ones of its account came before it", () => {
  const slots = new Slots();
  const taken = Array.from({ length: 6 }, (_, i) => slots.request(`webhook-${i}`, quick("alice"))!);
  for (const slot of taken) slot.endpoint = { userId: "alice", isSlow: true };
  expect(taken.map((slot) => slots.mustLeave(slot))).toEqual([false, false, false, false, false, true]);
});

test("slow webhooks have half of all slots, whoever they belong to, and a thousand can wait", () => {
  const slots = new Slots();
  const ask = (nth: number) => slots.request(`slow-${nth}`, { userId: `owner-${nth >> 2}`, isSlow: true });
  const taken = Array.from({ length: 1_099 }, (_, nth) => ask(nth)).filter((slot) => slot !== null);
  expect([taken.length, slots.waiting.length, slots.isQueueFull]).toEqual([100, 999, false]);
  ask(1_099);
  expect(slots.isQueueFull).toBe(true);
  expect(slots.request("quick", quick("quick"))).not.toBeNull();
});

test("a slot goes to the first waiting webhook that may have one", () => {
  const slots = new Slots();
  for (let i = 0; i < 11; i++) slots.request(`alice-${i}`, quick("alice"));
  const others = request(slots, 190);
  slots.request("bob", quick("bob"));
  slots.free(others[0]!);
  expect(slots.next()).toMatchObject({ webhookId: "bob" });
  expect(slots.waiting).toEqual(["alice-10"]);
});

test("once closed, nobody gets a slot and everybody leaves", () => {
  const slots = new Slots();
  const slot = slots.request("a", quick("alice"))!;
  slots.close();
  expect(slots.request("b", quick("bob"))).toBeNull();
  expect(slots.mustLeave(slot)).toBe(true);
  slots.free(slot);
  expect(slots.next()).toBeNull();
  expect(slots.waiting).toEqual(["b", "a"]);
});
