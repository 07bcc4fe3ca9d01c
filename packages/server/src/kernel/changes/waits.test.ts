import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Changed } from "./bus.ts";
import { Waits } from "./waits.ts";

let tell: (changed: Changed) => void;
let waits: Waits;
let client: AbortController;

beforeEach(() => {
  waits = open();
  client = new AbortController();
});

function open(most?: number): Waits {
  const hearers = new Set<(changed: Changed) => void>();
  tell = (changed) => {
    for (const hear of hearers) hear(changed);
  };
  return new Waits({ subscribe: (hear) => (hearers.add(hear), () => hearers.delete(hear)) }, most);
}

/** A wait for minutes, which its end tells of. */
function begin(names: readonly string[], { since = waits.sequence, ms = 100_000, among = waits } = {}) {
  const wait = { result: undefined as boolean | undefined };
  void among.until({ names, since, ms, signal: client.signal }).then((result) => (wait.result = result));
  return wait;
}

const settled = (wait: { result: boolean | undefined }) =>
  vi.waitFor(() => {
    if (wait.result === undefined) throw new Error("it waits");
    return wait.result;
  });

describe("a wait", () => {
  test("ends when one of its names is announced, and not for others", async () => {
    const wait = begin(["prm_1", "usr_1"]);
    tell(new Set(["prm_2"]));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([wait.result, waits.size]).toEqual([undefined, 1]);
    tell(new Set(["usr_1"]));
    expect([await settled(wait), waits.size]).toEqual([true, 0]);
  });

  test("does not begin if something was announced since what the caller has was read", async () => {
    const since = waits.sequence;
    tell(new Set(["prm_1"]));
    expect(await settled(begin(["prm_1"], { since }))).toBe(true);
    begin(["prm_1"]);
    await vi.waitFor(() => expect(waits.size).toBe(1));
  });

  test("ends when anything may have changed", async () => {
    const wait = begin(["prm_1"]);
    tell(null);
    expect(await settled(wait)).toBe(true);
    const since = waits.sequence;
    tell(null);
    expect(await settled(begin(["prm_2"], { since }))).toBe(true);
  });

  test("that is older than what is remembered reads again, rather than miss a change", async () => {
    const since = waits.sequence;
    tell(new Set(["prm_1"]));
    for (let nth = 0; nth < 10_000; nth++) tell(new Set([`prm_x${nth}`]));
    expect(await settled(begin(["prm_1"], { since }))).toBe(true);
    expect(begin(["prm_1"]).result).toBeUndefined();
  });

  test("ends unchanged when its time is over, and when its client is gone", async () => {
    expect(await settled(begin(["prm_1"], { ms: 10 }))).toBe(false);
    const wait = begin(["prm_1"]);
    client.abort();
    expect([await settled(wait), waits.size]).toEqual([false, 0]);
    expect(await settled(begin(["prm_1"]))).toBe(false);
  });

  test("is refused beyond the most that a process holds, until another ends", async () => {
    const few = open(1);
    begin(["prm_1"], { among: few, since: few.sequence });
    const refused = few.until({ names: ["prm_2"], since: few.sequence, ms: 1_000, signal: client.signal });
    await expect(refused).rejects.toMatchObject({ code: "rate_limited" });
    tell(new Set(["prm_1"]));
    await vi.waitFor(() => expect(few.size).toBe(0));
    begin(["prm_2"], { among: few, since: few.sequence });
    expect(few.size).toBe(1);
  });

  test("ends when the process stops, and none begins after that", async () => {
    const all = Array.from({ length: 100 }, (_, nth) => begin([`prm_${nth}`]));
    waits.stop();
    for (const wait of all) expect(await settled(wait)).toBe(false);
    expect([await settled(begin(["prm_1"])), waits.size]).toEqual([false, 0]);
  });

  test("that ends together with many others lets other work of the process go on meanwhile", async () => {
    const all = Array.from({ length: 200 }, () => begin(["prm_1"]));
    tell(new Set(["prm_1"]));
    await new Promise(setImmediate);
    const ended = () => all.filter(({ result }) => result === true).length;
    expect(ended()).toBeGreaterThan(0);
    expect(ended()).toBeLessThan(200);
    await vi.waitFor(() => expect(ended()).toBe(200));
  });
});
