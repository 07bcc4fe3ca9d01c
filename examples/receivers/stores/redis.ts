// Keeps what became of each event in Redis, Valkey or whatever speaks like them: `redisStore(client)` over a client of
// `redis`, and `redisStore(ofIoredis(client))` over one of `ioredis`.
import type { EventStore } from "@promptreg/core/webhooks";

/** The commands that it takes, as `redis` has them. */
export interface Redis {
  /** Resolves to null where `NX` kept it from being set. */
  set(key: string, value: string, options: { PX: number; NX?: true }): Promise<unknown>;
  get(key: string): Promise<string | null>;
  del(key: string): Promise<unknown>;
}

const dayMs = 86_400_000;
const keyOf = (id: string) => `promptreg:${id}`;

/** What a crash left undone comes again when its mark has run out, and may be done twice. */
export const redisStore = (redis: Redis): EventStore => ({
  async begin(id, seconds) {
    const begun = await redis.set(keyOf(id), "begun", { PX: seconds * 1000, NX: true });
    if (begun !== null) return null;
    // Where the mark has gone just now, it comes again as well.
    return (await redis.get(keyOf(id))) ?? "begun";
  },
  end: (id, isHandled) =>
    isHandled ? redis.set(keyOf(id), "handled", { PX: 60 * dayMs }) : redis.del(keyOf(id)),
});

/** The same commands as `ioredis` has them. */
export interface Ioredis extends Pick<Redis, "get" | "del"> {
  set(key: string, value: string, px: "PX", ms: number): Promise<unknown>;
  set(key: string, value: string, px: "PX", ms: number, nx: "NX"): Promise<unknown>;
}

export const ofIoredis = (client: Ioredis): Redis => ({
  set: (key, value, { PX, NX }) =>
    NX ? client.set(key, value, "PX", PX, "NX") : client.set(key, value, "PX", PX),
  get: (key) => client.get(key),
  del: (key) => client.del(key),
});
