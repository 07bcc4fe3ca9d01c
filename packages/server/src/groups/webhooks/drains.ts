import type { ServerContext } from "../../kernel/server-context.ts";
import { endpointsOf, wakeDrains } from "./drain.sql.ts";
import { retry } from "./retry.ts";
import { SlotWork } from "./slot-work.ts";
import { type Slot, Slots } from "./slots.ts";

/** What one process sends. An endpoint that hangs holds one slot here, and none of the worker's tasks. */
export interface Drains {
  /** Has everything sent that is due to these webhooks. Ends when each has begun, or waits for a slot. */
  readonly wake: (webhookIds: readonly string[]) => Promise<void>;
  /** Resolves when nothing is left to send, or to wait for. */
  readonly idle: () => Promise<void>;
  /** Lets attempts under way end, and records them. Other processes do the rest. */
  readonly stop: () => Promise<void>;
}

/** Starts work in the slots of this process. `Slots` decides who has one. */
export function openDrains(server: ServerContext): Drains {
  const { sql, failures } = server;
  const slots = new Slots();
  /** By webhook, for as long as it has a slot. */
  const works = new Map<string, SlotWork>();
  const ends = new Set<Promise<void>>();
  let queueMoved = Promise.withResolvers<void>();

  return {
    async wake(webhookIds) {
      const others = webhookIds.filter((id) => !isAtHand(id));
      if (others.length === 0) return;
      const endpoints = await retry(
        () => endpointsOf(sql, others),
        () => slots.isClosed,
      );
      const begun: Promise<void>[] = [];
      for (const { id, ...endpoint } of endpoints) {
        while (slots.isQueueFull && !slots.isClosed) await queueMoved.promise;
        if (isAtHand(id)) continue;
        const slot = slots.request(id, endpoint);
        if (slot) begun.push(begin(slot));
      }
      await Promise.all(begun);
    },
    async idle() {
      while (ends.size > 0) await Promise.all(ends);
    },
    async stop() {
      slots.close();
      queueMoved.resolve();
      await Promise.all(ends);
      await wakeDrains(sql, slots.waiting);
    },
  };

  /** Whether this process will look for what is due to a webhook anyway. */
  function isAtHand(webhookId: string): boolean {
    works.get(webhookId)?.wake();
    return works.has(webhookId) || slots.isWaiting(webhookId);
  }

  function begin(slot: Slot): Promise<void> {
    const work = new SlotWork(server, slots, slot);
    const end = use(slot, work).finally(() => {
      ends.delete(end);
      beginWaiting();
    });
    ends.add(end);
    return Promise.race([work.begun, end]);
  }

  async function use(slot: Slot, work: SlotWork): Promise<void> {
    const { webhookId } = slot;
    works.set(webhookId, work);
    try {
      while (work.isWoken && !slot.mustLeave) await work.send();
    } catch (error) {
      failures.report(error, { operation: "drain", webhookId });
    } finally {
      // In the same moment as the last look at `isWoken`: a wake that came in between would be lost.
      works.delete(webhookId);
      slots.free(slot);
    }
  }

  function beginWaiting(): void {
    for (let slot = slots.next(); slot !== null; slot = slots.next()) {
      void begin(slot);
      queueMoved.resolve();
      queueMoved = Promise.withResolvers();
    }
  }
}
