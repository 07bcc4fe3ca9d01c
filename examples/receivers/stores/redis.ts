// A store for `once` on Redis, Valkey or anything compatible. With a client of `redis`: `redisStore(client)`. With a client
// of `ioredis`: `redisStore(fromIoredis(client))`.
import type { EventStore } from "@promptreg/core/webhooks";

/** The commands that the store uses, as `redis` has them. */
export interface Redis {
  /** Resolves to null if `NX` prevented the write. */
  set(key: string, value: string, options: { PX: number; NX?: true }): Promise<unknown>;
  get(key: string): Promise<string | null>;
  del(key: string): Promise<unknown>;
}

const dayMs = 86_400_000;
const keyOf = (id: string) => `promptreg:${id}`;

/** After a crash, an event can be handled again once its mark expires. It may then be handled twice. */
export const redisStore = (redis: Redis): EventStore => ({
  async begin(id, seconds) {
    const begun = await redis.set(keyOf(id), "begun", { PX: seconds * 1000, NX: true });
    if (begun !== null) return null;
    // If the mark expired just now, the event comes again too.
    return (await redis.get(keyOf(id))) ?? "begun";
  },
  end: (id, isHandled) =>
    isHandled ? redis.set(keyOf(id), "handled", { PX: 60 * dayMs }) : redis.del(keyOf(id)),
});

/** The same commands, as `ioredis` has them. */
export interface Ioredis extends Pick<Redis, "get" | "del"> {
  set(key: string, value: string, px: "PX", ms: number): Promise<unknown>;
  set(key: string, value: string, px: "PX", ms: number, nx: "NX"): Promise<unknown>;
}

export const fromIoredis = (client: Ioredis): Redis => ({
  set: (key, value, { PX, NX }) =>
    NX ? client.set(key, value, "PX", PX, "NX") : client.set(key, value, "PX", PX),
  get: (key) => client.get(key),
  del: (key) => client.del(key),
});
