import { type IncomingMessage, ServerResponse } from "node:http";
import type { BlockList } from "node:net";
import { pipeline, Readable } from "node:stream";
import { clientAddress, networkOf } from "./client-address.ts";
import type { Readiness } from "../failures/readiness.ts";
import type { Follow } from "../telemetry/access.ts";
import { giveBack } from "../store/lent-buffers.ts";
import { type Holdings, smallBytes } from "./holdings.ts";

/** What the HTTP server needs of the process. */
export interface Outer {
  holdings: Holdings;
  trustedProxies: BlockList;
  readiness: Pick<Readiness, "isStopping">;
  /** Null: nobody wants to know of requests. */
  follow: Follow | null;
}

/** A client that reads less than `smallBytes` in this time is disconnected. */
export const readTimeoutMs = 15_000;

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += smallBytes) yield bytes.subarray(at, at + smallBytes);
}

/**
 * Makes the class of Node's responses. It writes large responses in pieces as they are read, counts unread bytes for the
 * client's address, and disconnects clients that do not read.
 */
export function outgoingOf(server: Outer): typeof ServerResponse {
  return class Outgoing<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
    #isHeld = false;
    #timer: NodeJS.Timeout | undefined;

    constructor(...given: ConstructorParameters<typeof ServerResponse<R>>) {
      super(...given);
      // As many may wait for the end of a large response to a write. Node would log a leak from ten on.
      this.setMaxListeners(20);
    }

    override write(part: unknown, ...rest: unknown[]): boolean {
      // Only now are the bytes the system's, and their buffer free.
      const onSent = (error: Error | null | undefined) => void (error || giveBack(part as Uint8Array));
      const isTaken =
        part instanceof Uint8Array && rest.length === 0
          ? super.write(part, onSent)
          : super.write(part, ...(rest as [BufferEncoding]));
      if (!isTaken) this.#awaitReader();
      return isTaken;
    }

    override end(body?: unknown, ...rest: unknown[]): this {
      const isSent = this.req.method !== "HEAD" && !this.destroyed;
      if (isSent && typeof body === "string" && body.length > smallBytes) {
        // As bytes: a waiting string uses up to three times its size.
        const bytes = Buffer.from(body);
        this.#hold(bytes.length);
        // If the client disconnects, that is no error.
        pipeline(Readable.from(piecesOf(bytes)), this, () => {});
        return this;
      }
      super.end(body, ...(rest as [BufferEncoding]));
      const waiting = this.socket?.writableLength ?? 0;
      if (waiting > 0) {
        this.#hold(waiting);
        this.#awaitReader();
      }
      return this;
    }

    #hold(bytes: number): void {
      if (this.#isHeld || this.destroyed) return;
      this.#isHeld = true;
      const { socket, headers } = this.req;
      const forwardedFor = headers["x-forwarded-for"] as string | undefined;
      const address = clientAddress(socket.remoteAddress ?? "", forwardedFor, server.trustedProxies);
      const holding = server.holdings.hold(networkOf(address));
      holding.add(bytes);
      this.once("close", holding.release);
    }

    #awaitReader(): void {
      if (this.#timer !== undefined) return;
      const stop = () => {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        this.off("drain", stop).off("close", stop);
      };
      this.#timer = setTimeout(() => this.socket?.destroy(), readTimeoutMs).unref();
      this.on("drain", stop).on("close", stop);
    }
  };
}
