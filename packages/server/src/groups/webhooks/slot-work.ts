import { randomUUID } from "node:crypto";
import type { ServerContext } from "../../kernel/server-context.ts";
import { Drain } from "./drain.ts";
import { acquire, cancelStale, type Held, type Lease, release } from "./drain.sql.ts";
import { retry } from "./retry.ts";
import type { Slot, Slots } from "./slots.ts";

/** What is done for a webhook while it has a slot. */
export class SlotWork {
  readonly #server: ServerContext;
  readonly #slots: Slots;
  readonly #slot: Slot;
  readonly #lease: Lease;
  readonly #begun = Promise.withResolvers<void>();
  readonly #isStopping: () => boolean;
  /** Undefined until it is known that there is something to do. */
  #drain: Drain | undefined;
  #isWoken = true;

  constructor(server: ServerContext, slots: Slots, slot: Slot) {
    this.#server = server;
    this.#slots = slots;
    this.#slot = slot;
    this.#lease = { webhookId: slot.webhookId, token: randomUUID() };
    this.#isStopping = () => slots.isClosed;
  }

  /** Resolves when sending begins, or when there was nothing to send. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** Something may have come. */
  wake(): void {
    this.#isWoken = true;
    this.#drain?.wake();
  }

  /** Whether something may have come since the last look. */
  get isWoken(): boolean {
    return this.#isWoken;
  }

  /** Takes the webhook under a lease and sends until nothing is due or it has to leave. */
  async send(): Promise<void> {
    this.#isWoken = false;
    const held = await retry(() => acquire(this.#server.sql, this.#lease), this.#isStopping);
    this.#begun.resolve();
    if (held !== null) await this.#sendUnderLease(held);
  }

  async #sendUnderLease(held: Held): Promise<void> {
    const { sql } = this.#server;
    this.#slot.endpoint = held;
    this.#drain = new Drain(this.#server, this.#lease, held);
    try {
      const sent = await this.#drain.run(() => this.#slots.mustLeave(this.#slot));
      if (held.hasStale) await this.#cancelStale();
      // Who came before the release found the webhook held, and left it to us.
      this.#isWoken ||= sent > 0 || held.hasStale;
    } finally {
      await retry(() => release(sql, this.#lease, { waitsHere: this.#slot.mustLeave }), this.#isStopping);
    }
  }

  async #cancelStale(): Promise<void> {
    const { webhookId } = this.#lease;
    while (!this.#isStopping() && (await this.#server.sql.begin((tx) => cancelStale(tx, webhookId))) > 0);
  }
}
