import { once } from "@promptreg/core/webhooks";
import { describe, expect, test, vi } from "vitest";
import { type Ioredis, fromIoredis, type Redis, redisStore } from "./redis.ts";

/** The Redis commands that the store uses, as documented, with a clock that the test sets. */
function standIn() {
  const kept = new Map<string, { value: string; until: number }>();
  const clock = { ms: 0 };
  const valueAt = (key: string) => {
    const found = kept.get(key);
    return found && found.until > clock.ms ? found.value : null;
  };
  const get = async (key: string) => valueAt(key);
  const set = async (key: string, value: string, { PX, NX }: { PX: number; NX?: boolean }) => {
    if (!Number.isInteger(PX) || PX <= 0) throw new Error("ERR invalid expire time in 'set' command");
    if (NX && valueAt(key) !== null) return null;
    kept.set(key, { value, until: clock.ms + PX });
    return "OK";
  };
  const del = async (key: string) => Number(kept.delete(key));
  return { clock, get, set, del };
}

type StandIn = ReturnType<typeof standIn>;
const overRedis = ({ get, set, del }: StandIn): Redis => ({ get, set, del });
const overIoredis = ({ get, set, del }: StandIn): Redis => {
  const ioredis: Ioredis = {
    get,
    del,
    set: (key: string, value: string, _: "PX", PX: number, nx?: "NX") =>
      set(key, value, { PX, NX: nx === "NX" }),
  };
  return fromIoredis(ioredis);
};
const event = { id: "evt_01" };
const underWay = expect.objectContaining({ statusCode: 503 });

describe.each([
  ["redis", overRedis],
  ["ioredis", overIoredis],
])("over a client of %s, an event", (_, clientOf) => {
  test("is handled once in sixty days", async () => {
    const redis = standIn();
    const store = redisStore(clientOf(redis));
    const handle = vi.fn<() => void>();
    expect(await once(event, store, handle)).toBe(true);
    for (const days of [0, 30, 29]) {
      redis.clock.ms += days * 86_400_000;
      expect(await once(event, store, handle)).toBe(false);
    }
    expect(handle).toHaveBeenCalledOnce();
  });

  test("that arrives twice at once is handled once, and the other delivery is refused for later", async () => {
    const redis = standIn();
    const stores = [0, 1].map(() => redisStore(clientOf(redis)));
    const { promise, resolve } = Promise.withResolvers<void>();
    const both = Promise.allSettled(stores.map((store) => once(event, store, () => promise)));
    await new Promise(setImmediate);
    resolve();
    expect(await both).toEqual([
      { status: "fulfilled", value: true },
      { status: "rejected", reason: underWay },
    ]);
  });

  test("whose handling fails may come again at once", async () => {
    const store = redisStore(clientOf(standIn()));
    const reason = new Error("the disk is full");
    await expect(once(event, store, () => Promise.reject(reason))).rejects.toBe(reason);
    expect(await once(event, store, () => {})).toBe(true);
  });

  test("that a crash left is handled once its mark has expired, before the first retry", async () => {
    const redis = standIn();
    const store = redisStore(clientOf(redis));
    void once(event, store, () => new Promise(() => {}));
    await new Promise(setImmediate);
    await expect(once(event, store, () => {})).rejects.toEqual(underWay);
    redis.clock.ms += 59_000;
    expect(await once(event, store, () => {})).toBe(true);
  });

  test("whose mark expires while it is read comes again", async () => {
    const redis = standIn();
    const client = clientOf(redis);
    await client.set("promptreg:evt_01", "begun", { PX: 1 });
    const store = redisStore({
      ...client,
      get: (key) => {
        redis.clock.ms += 1;
        return client.get(key);
      },
    });
    await expect(once(event, store, () => {})).rejects.toEqual(underWay);
  });
});
