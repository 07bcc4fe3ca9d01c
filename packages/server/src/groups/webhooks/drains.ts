import { randomUUID } from "node:crypto";
import type { ServerContext } from "../../kernel/server-context.ts";
import { Drain, insist } from "./drain.ts";
import { acquire, cancelStale, type Endpoint, endpointsOf, release, wakeDrains } from "./drain.sql.ts";

/** Drains at once in one process: each waits for somebody else's server more than it works. */
const places = 200;
/** How many of them the endpoints of one account can have. */
const placesOfOwner = 10;
/** What endpoints that were slow the last time can have, of all places and of those of their account. */
const shareOfSlow = 0.5;
/** Webhooks that wait for a place in memory; jobs wait when there are more. */
const mostWaiting = 1_000;
/** After this a drain gives its place to one that waits. */
const sliceMs = 20_000;

/** What one process sends. An endpoint that hangs holds one place here, and no slot of the worker. */
export interface Drains {
  /** Sees to it that what is due to webhooks is sent; ends when that has begun, or waits for a place. */
  readonly wake: (webhookIds: readonly string[]) => Promise<void>;
  /** Resolves when nothing is left to send, or to wait for. */
  readonly idle: () => Promise<void>;
  /** Lets attempts under way end, and records them. What remains is left to others. */
  readonly stop: () => Promise<void>;
}

interface Place {
  lease: { webhookId: string; token: string };
  endpoint: Endpoint;
  /** Undefined until it is known that there is something to do. */
  drain?: Drain;
  takenAt: number;
  /** Whether something may have come since it was last looked. */
  isWoken: boolean;
  /** Whether the place has to be left to others; stays so, though one might have become free. */
  isOver: boolean;
}

export function openDrains(server: ServerContext): Drains {
  const { sql, failures } = server;
  const taken = new Map<string, Place>();
  /** By webhook, those that came first at first. */
  const waiting = new Map<string, Endpoint>();
  const ends = new Set<Promise<void>>();
  let hasToStop = false;
  const isStopping = () => hasToStop;
  let freed = Promise.withResolvers<void>();

  return {
    async wake(webhookIds) {
      const others = webhookIds.filter((id) => !isAtHand(id));
      if (others.length === 0) return;
      const begun: Promise<void>[] = [];
      for (const { id, ...endpoint } of await insist(() => endpointsOf(sql, others), isStopping)) {
        while (waiting.size >= mostWaiting && !isStopping()) await freed.promise;
        if (isAtHand(id)) continue;
        if (taken.size < places && hasRoom(endpoint, crowd()) && !isStopping())
          begun.push(begin(id, endpoint));
        else waiting.set(id, endpoint);
      }
      await Promise.all(begun);
    },
    async idle() {
      while (ends.size > 0) await Promise.all(ends);
    },
    async stop() {
      hasToStop = true;
      freed.resolve();
      await Promise.all(ends);
      await wakeDrains(sql, [...waiting.keys()]);
    },
  };

  /** Whether somebody here will look what there is for a webhook. */
  function isAtHand(webhookId: string): boolean {
    const place = taken.get(webhookId);
    if (place) {
      place.isWoken = true;
      place.drain?.wake();
    }
    return place !== undefined || waiting.has(webhookId);
  }

  function begin(webhookId: string, endpoint: Endpoint): Promise<void> {
    const place: Place = {
      lease: { webhookId, token: randomUUID() },
      endpoint,
      takenAt: performance.now(),
      isWoken: true,
      isOver: false,
    };
    taken.set(webhookId, place);
    const { promise: begun, resolve: hasBegun } = Promise.withResolvers<void>();
    const end = work(place, hasBegun)
      .catch((error) => failures.tell(error, { operation: "drain", webhookId }))
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
        place.endpoint = held;
        place.drain = new Drain(server, lease, held);
        try {
          const sent = await place.drain.run(() => isOver(place));
          if (held.hasStale) await giveUpStale(lease.webhookId);
          // Whoever came before it was released found it held, and left it to us.
          place.isWoken ||= sent > 0 || held.hasStale;
        } finally {
          await insist(() => release(sql, lease, { waitsHere: place.isOver }), isStopping);
        }
      }
    } finally {
      // At once, so that nobody who wakes it finds somebody who is leaving.
      taken.delete(lease.webhookId);
      if (place.isOver) waiting.set(lease.webhookId, place.endpoint);
    }
  }

  async function giveUpStale(webhookId: string): Promise<void> {
    while (!isStopping() && (await sql.begin((tx) => cancelStale(tx, webhookId))) > 0);
  }

  function isOver(place: Place): boolean {
    const hasHadIts = waiting.size > 0 && performance.now() - place.takenAt > sliceMs;
    const isCrowdedOut = !hasRoom(place.endpoint, crowd(place));
    place.isOver ||= isStopping() || hasHadIts || isCrowdedOut;
    return place.isOver;
  }

  /** Begins with those that wait, the first that may at first. */
  function makeUse(): void {
    while (!isStopping() && taken.size < places) {
      const others = crowd();
      const next = [...waiting].find(([, endpoint]) => hasRoom(endpoint, others));
      if (next === undefined) return;
      waiting.delete(next[0]);
      void begin(...next);
      freed.resolve();
      freed = Promise.withResolvers();
    }
  }

  /** Who has places: all, or those who took theirs before somebody. */
  function crowd(somebody?: Place): Endpoint[] {
    const all = [...taken.values()];
    return all.slice(0, somebody && all.indexOf(somebody)).map(({ endpoint }) => endpoint);
  }
}

function hasRoom({ ownerId, isSlow }: Endpoint, others: readonly Endpoint[]): boolean {
  const own = others.filter((other) => other.ownerId === ownerId);
  return (
    own.length < placesOfOwner && !(isSlow && (isHalfSlow(own, placesOfOwner) || isHalfSlow(others, places)))
  );
}

const isHalfSlow = (all: readonly Endpoint[], most: number): boolean =>
  all.filter(({ isSlow }) => isSlow).length >= most * shareOfSlow;
