import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { receiveSync } from "@promptreg/core/webhooks/node";

/** What a receiver does with a request: a status it answers, or no answer at all. */
export type Answer = number | "reset" | "hang";

/** One request, as the receiver saw it. Times are those of `performance.now()`. */
export interface Arrival {
  webhookId: string;
  deliveryId: string;
  eventId: string;
  at: number;
  /** The status that was sent; null where none was, undefined while it is still being thought about. */
  status: number | null | undefined;
  endedAt: number;
  /** The sender went away before it had an answer. */
  wasCut: boolean;
}

/** Decides on an answer; `nth` is how many requests of this delivery there have been, this one included. */
export type Behaviour = (arrival: Arrival, nth: number) => Answer | Promise<Answer>;

export interface Receiver {
  url: string;
  /** Known once the webhook is made. */
  webhookId: string;
  secret: string;
  /** How often each delivery has come. */
  counts: Map<string, number>;
}

/** Real HTTP servers that believe only what is signed, and write down all that happens to them. */
export class Receivers {
  readonly arrivals: Arrival[] = [];
  /** The bytes of each event as they were first received. */
  readonly bodies = new Map<string, Buffer>();
  /** What no receiver should ever see. */
  readonly problems: string[] = [];
  readonly #closers: (() => void)[] = [];
  #underWay = 0;

  /** Without `keepsAlive` every request comes on a connection of its own. */
  async open(behave: Behaviour, { keepsAlive = true } = {}): Promise<Receiver> {
    const receiver: Receiver = { url: "", webhookId: "", secret: "", counts: new Map() };
    const server = createServer((request, response) => {
      if (!keepsAlive) response.setHeader("connection", "close");
      this.#receive(receiver, behave, { request, response }).catch((error: Error) => {
        this.problems.push(`a receiver failed: ${error.message}`);
        response.destroy();
      });
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    this.#closers.push(() => {
      server.closeAllConnections();
      server.close();
    });
    receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    return receiver;
  }

  /** Whether a request waits for an answer. */
  isBusy(): boolean {
    return this.#underWay > 0;
  }

  close(): void {
    for (const close of this.#closers) close();
  }

  async #receive(
    receiver: Receiver,
    behave: Behaviour,
    { request, response }: { request: IncomingMessage; response: ServerResponse },
  ): Promise<void> {
    const at = performance.now();
    const gone = new Promise<"gone">((resolve) => response.once("close", () => resolve("gone")));
    // Whoever is killed while sending leaves half a request: nothing that a receiver would believe.
    const body = await buffer(request).catch(() => null);
    if (body === null) return;
    const arrival = this.#note(receiver, { at, request, body });
    this.#underWay += 1;
    const nth = receiver.counts.get(arrival.deliveryId) ?? 0;
    const answer = await Promise.race([behave(arrival, nth), gone]);
    if (answer === "hang") await gone;
    this.#underWay -= 1;
    arrival.endedAt = performance.now();
    arrival.wasCut = answer === "gone" || response.destroyed;
    arrival.status = arrival.wasCut || typeof answer === "string" ? null : answer;
    if (arrival.status === null) response.destroy();
    else response.writeHead(arrival.status).end("Thank you.");
  }

  #note(
    receiver: Receiver,
    { at, request, body }: { at: number; request: IncomingMessage; body: Buffer },
  ): Arrival {
    const { id: eventId } = receiveSync(body, request.headers["service-signature"], receiver.secret);
    const { webhookId, counts } = receiver;
    const deliveryId = String(request.headers["service-delivery"]);
    counts.set(deliveryId, (counts.get(deliveryId) ?? 0) + 1);
    const known = this.bodies.get(eventId);
    if (known === undefined) this.bodies.set(eventId, body);
    else if (!known.equals(body)) this.problems.push(`${eventId} came with different bytes`);
    const arrival = { webhookId, deliveryId, eventId, at, status: undefined, endedAt: 0, wasCut: false };
    this.arrivals.push(arrival);
    return arrival;
  }
}
