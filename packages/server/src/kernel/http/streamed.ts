import { ReadableStream as NodeStream } from "node:stream/web";
import type { Failures } from "../failures/failures.ts";
import type { Holdings } from "./holdings.ts";

/** A body that is made while the client reads it. */
export interface Made {
  /** The bytes that it needs in memory at most. They count for the client's address. */
  holds: number;
  /** Called if nobody reads anything: closes what `chunks` come from. */
  onUnread?: () => void;
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/**
 * The stream of a body. If it fails, the connection breaks off, so that no client takes a part for the whole.
 * @throws {ApiError} if the address already has too many unread responses.
 */
export function streamed(
  { holdings, failures }: { holdings: Holdings; failures: Failures },
  network: string,
  { holds, onUnread, chunks }: Made,
): ReadableStream<Uint8Array> {
  holdings.admit(network, holds);
  // At once, or all requests that come together are admitted.
  const holding = holdings.hold(network);
  holding.add(holds);
  const body = run();
  let isStarted = false;
  const source = {
    next: () => body.next(),
    // If nobody has read anything, the generator ends without its `finally`.
    return: () => {
      if (!isStarted) onUnread?.();
      return body.return().finally(holding.release);
    },
    [Symbol.asyncIterator]: () => source,
  };
  // The two declarations of one class differ.
  const stream: unknown = NodeStream.from(source);
  return stream as ReadableStream<Uint8Array>;

  async function* run() {
    isStarted = true;
    try {
      yield* chunks;
    } catch (error) {
      failures.report(error, { operation: "stream" });
      throw error;
    } finally {
      holding.release();
    }
  }
}
