import { setTimeout as delay } from "node:timers/promises";
import type { DeliverySummary } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** What all deliveries from a time on are newer than: an id begins with the time at which it was made. */
export function idBefore(time: string): string {
  let ms = Date.parse(time);
  let digits = "";
  for (let place = 0; place < 10; place += 1) {
    digits = `${alphabet[ms % 32]}${digits}`;
    ms = Math.floor(ms / 32);
  }
  return `dlv_${digits}${"0".repeat(16)}`;
}

/** What every delivery is newer than. */
export const firstId = idBefore("1970-01-01T00:00:00Z");

/** The newest delivery of a log; undefined while it is empty. */
export async function newestId(client: Client, webhookId: string): Promise<string | undefined> {
  const { items } = await client.webhooks.deliveries.list({ id: webhookId, query: { limit: 1 } });
  return items[0]?.id;
}

/** Where a log is followed from, and who hears what goes on meanwhile. */
export interface Following {
  id: string;
  /** The delivery after which it begins; from the first one on when absent. */
  after: string | undefined;
  signal: AbortSignal;
  /** Is told once when the registry goes away, and once without an error when it is back. */
  onOutage: (error?: Error) => void;
  /** Is asked each time when nothing has come. */
  onQuiet: () => Promise<void>;
}

const shortestPauseMs = 1_000;
const longestPauseMs = 5_000;

/**
 * Gives each delivery of a log after a certain one, oldest first, and then each that comes, until it is stopped. It asks
 * at most once a second, and less and less often while nothing comes. A registry that is away is waited for.
 */
export async function* follow(
  client: Client,
  { id, after, signal, onOutage, onQuiet }: Following,
): AsyncGenerator<DeliverySummary, void, undefined> {
  let last = after;
  let isAway = false;
  for (let pauseMs = shortestPauseMs; !signal.aborted; pauseMs = Math.min(longestPauseMs, pauseMs * 1.1)) {
    const paused = delay(pauseMs, undefined, { signal }).catch(() => undefined);
    try {
      const query = { order: "asc", include: "payload", limit: 100 } as const;
      const { items } = await client.webhooks.deliveries.list(
        { id, query: last === undefined ? query : { ...query, after: last } },
        { signal },
      );
      if (isAway) onOutage();
      isAway = false;
      if (items.length === 0) await onQuiet();
      for (const delivery of items) {
        if (signal.aborted) return;
        yield delivery;
        last = delivery.id;
        pauseMs = shortestPauseMs;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (exitCodeOf(error) !== exitCodes.unavailable[0]) throw error;
      if (!isAway) onOutage(error as Error);
      isAway = true;
    }
    await paused;
  }
}
