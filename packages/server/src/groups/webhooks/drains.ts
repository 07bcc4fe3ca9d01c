import { randomUUID } from "node:crypto";
import type { ServerContext } from "../../kernel/server-context.ts";
import { Drain, insist } from "./drain.ts";
import { acquire, cancelStale, type Held, release, wakeDrains } from "./drain.sql.ts";

/** Drains at once in one process: each waits for somebody else's server more than it works. */
const places = 200;
/** How many of them endpoints can have that were slow the last time, and those of one account. */
const placesOfSlow = 100;
const placesOfOwner = 10;
/** Webhooks that wait for a place in memory; jobs wait when there are more. */
const mostWaiting = 1_000;
/** After this a drain gives its place to one that waits. */
const sliceMs = 20_000;

/** What one process sends. An endpoint that hangs holds one place here, and no slot of the worker. */
export interface Drains {
  /** Sees to it that what is due to a webhook is sent; ends when that has begun. */
  readonly wake: (webhookId: string) => Promise<void>;
  /** Lets attempts under way end, and records them. What remains is left to others. */
  readonly stop: () => Promise<void>;
}

interface Place {
  lease: { webhookId: string; token: string };
  /** Undefined until it is known whether there is anything to do. */
  held?: Held;
  drain?: Drain;
  takenAt: number;
  /** Whether something may have come since it was last looked. */
  isWoken: boolean;
  /** Whether the place has to be left to others; stays so, though one might have become free. */
  isOver: boolean;
}

export function openDrains(server: ServerContext): Drains {
  const { sql, log } = server;
  const taken = new Map<string, Place>();
  /** By webhook, those that came first at first; those that were held already are known. */
  const waiting = new Map<string, Held | undefined>();
  const ends = new Set<Promise<void>>();
  const stopping = new AbortController();
  const isStopping = () => stopping.signal.aborted;
  let freed = Promise.withResolvers<void>();

  return {
    async wake(webhookId) {
      const place = taken.get(webhookId);
      if (place) {
        place.isWoken = true;
        place.drain?.wake();
      }
      if (place || waiting.has(webhookId)) return;
      while (waiting.size >= mostWaiting && !isStopping()) await freed.promise;
      if (taken.size < places && !isStopping()) await begin(webhookId);
      else waiting.set(webhookId, undefined);
    },
    async stop() {
      stopping.abort();
      freed.resolve();
      await Promise.all(ends);
      await wakeDrains(sql, [...waiting.keys()]);
    },
  };

  function begin(webhookId: string): Promise<void> {
    const place: Place = {
      lease: { webhookId, token: randomUUID() },
      takenAt: performance.now(),
      isWoken: true,
      isOver: false,
    };
    taken.set(webhookId, place);
    const { promise: begun, resolve: hasBegun } = Promise.withResolvers<void>();
    const end = work(place, hasBegun)
      .catch((err) => log.warn({ err, webhookId }, "deliveries of a webhook are put off"))
      .finally(() => {
        ends.delete(end);
        hasBegun();
        makeUse();
      });
    ends.add(end);
    return begun;
  }

  async function work(place: Place, hasBegun: () => void): Promise<void> {
    const { lease } = place;
    try {
      while (place.isWoken && !place.isOver) {
        place.isWoken = false;
        const held = await insist(() => acquire(sql, lease), isStopping);
        hasBegun();
        if (held === null) continue;
        place.held = held;
        place.drain = new Drain(server, lease, held);
        try {
          const sent = await place.drain.run(() => isOver(place));
          if (held.hasStale) await giveUpStale(lease.webhookId);
          // Whoever came before it was released found it held, and left it to us.
          place.isWoken ||= sent > 0 || held.hasStale;
        } finally {
          await insist(() => release(sql, lease), isStopping);
        }
      }
    } finally {
      // At once, so that nobody who wakes it finds somebody who is leaving.
      taken.delete(lease.webhookId);
      if (place.isOver) waiting.set(lease.webhookId, place.held);
    }
  }

  async function giveUpStale(webhookId: string): Promise<void> {
    while (!isStopping() && (await sql.begin((tx) => cancelStale(tx, webhookId))) > 0);
  }

  function isOver(place: Place): boolean {
    const hasHadIts = waiting.size > 0 && performance.now() - place.takenAt > sliceMs;
    const isCrowdedOut = place.held !== undefined && !hasRoom(place.held, crowd(place));
    place.isOver ||= isStopping() || hasHadIts || isCrowdedOut;
    return place.isOver;
  }

  /** Begins with those that wait, the first that may at first. */
  function makeUse(): void {
    while (!isStopping() && taken.size < places) {
      const others = crowd();
      const next = [...waiting].find(([, held]) => held === undefined || hasRoom(held, others));
      if (next === undefined) return;
      waiting.delete(next[0]);
      void begin(next[0]);
      freed.resolve();
      freed = Promise.withResolvers();
    }
  }

  /** Who has places: all, or those who took theirs before somebody. */
  function crowd(somebody?: Place): Crowd {
    const all: Crowd = { slow: 0, ofOwner: new Map() };
    for (const place of taken.values()) {
      if (place === somebody) break;
      if (place.held === undefined) continue;
      const { ownerId, isSlow } = place.held;
      all.ofOwner.set(ownerId, (all.ofOwner.get(ownerId) ?? 0) + 1);
      if (isSlow) all.slow += 1;
    }
    return all;
  }
}

interface Crowd {
  slow: number;
  ofOwner: Map<string, number>;
}

const hasRoom = ({ ownerId, isSlow }: Held, { slow, ofOwner }: Crowd): boolean =>
  (ofOwner.get(ownerId) ?? 0) < placesOfOwner && !(isSlow && slow >= placesOfSlow);
