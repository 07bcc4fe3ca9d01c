import type { Endpoint } from "./drain.sql.ts";

/** Slots of one process. A drain waits for somebody else's server more than it works. */
const slotCount = 200;
/** How many of them the webhooks of one account can have. */
const slotsPerOwner = 10;
/** The share of all slots, and of those of an account, that slow endpoints can have. */
const slowShare = 0.5;
/** Webhooks that wait in memory for a slot; with more, jobs wait. */
const maxWaiting = 1_000;
/** After this a webhook gives its slot to one that waits. */
const sliceMs = 20_000;

/** A webhook's right to be sent to. */
export interface Slot {
  readonly webhookId: string;
  readonly takenAt: number;
  /** As it was read last. */
  endpoint: Endpoint;
  /** Whether the webhook has to leave. This stays so, even if another slot becomes free. */
  mustLeave: boolean;
}

/** Decides which webhooks this process sends to now, and which ones wait. It starts nothing itself. */
export class Slots {
  /** By webhook, the oldest first. */
  readonly #taken = new Map<string, Slot>();
  /** By webhook, the first to come first. */
  readonly #waiting = new Map<string, Endpoint>();
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isQueueFull(): boolean {
    return this.#waiting.size >= maxWaiting;
  }

  /** The webhooks that wait for a slot. */
  get waiting(): string[] {
    return [...this.#waiting.keys()];
  }

  isWaiting(webhookId: string): boolean {
    return this.#waiting.has(webhookId);
  }

  /** Gives a slot to a webhook, or has it wait for one. */
  request(webhookId: string, endpoint: Endpoint): Slot | null {
    if (this.#hasFree() && hasRoom(endpoint, this.#holders())) return this.#take(webhookId, endpoint);
    this.#waiting.set(webhookId, endpoint);
    return null;
  }

  /** Gives a slot to the first waiting webhook that may have one. */
  next(): Slot | null {
    if (!this.#hasFree()) return null;
    const holders = this.#holders();
    const next = [...this.#waiting].find(([, endpoint]) => hasRoom(endpoint, holders));
    if (next === undefined) return null;
    this.#waiting.delete(next[0]);
    return this.#take(...next);
  }

  /** Whether a webhook has to leave: it had its time and others wait, or too many like it came first. */
  mustLeave(slot: Slot): boolean {
    const hasHadItsTime = this.#waiting.size > 0 && performance.now() - slot.takenAt > sliceMs;
    const isCrowdedOut = !hasRoom(slot.endpoint, this.#holders(slot));
    slot.mustLeave ||= this.#isClosed || hasHadItsTime || isCrowdedOut;
    return slot.mustLeave;
  }

  /** Frees a slot. A webhook that had to leave waits for the next one. */
  free(slot: Slot): void {
    this.#taken.delete(slot.webhookId);
    if (slot.mustLeave) this.#waiting.set(slot.webhookId, slot.endpoint);
  }

  /** From now on everybody has to leave, and nobody gets a slot. */
  close(): void {
    this.#isClosed = true;
  }

  #hasFree(): boolean {
    return !this.#isClosed && this.#taken.size < slotCount;
  }

  #take(webhookId: string, endpoint: Endpoint): Slot {
    const slot = { webhookId, endpoint, takenAt: performance.now(), mustLeave: false };
    this.#taken.set(webhookId, slot);
    return slot;
  }

  /** Who has slots: all, or those who got theirs before somebody. */
  #holders(somebody?: Slot): Endpoint[] {
    const all = [...this.#taken.values()];
    return all.slice(0, somebody && all.indexOf(somebody)).map(({ endpoint }) => endpoint);
  }
}

function hasRoom({ userId, isSlow }: Endpoint, others: readonly Endpoint[]): boolean {
  const own = others.filter((other) => other.userId === userId);
  if (own.length >= slotsPerOwner) return false;
  return !isSlow || (hasRoomForSlow(own, slotsPerOwner) && hasRoomForSlow(others, slotCount));
}

const hasRoomForSlow = (holders: readonly Endpoint[], count: number): boolean =>
  holders.filter(({ isSlow }) => isSlow).length < count * slowShare;
