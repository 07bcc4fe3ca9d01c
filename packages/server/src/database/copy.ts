import { once } from "node:events";
import type { Duplex, Writable } from "node:stream";
import pg from "pg";

// Through pg, since the COPY streams of postgres.js can wait for ever: for an error that comes after the last
// row in, and for a connection that they paused because its rows were read slowly.

/** What pg's connection offers for COPY, and its types leave out. */
interface CopyConnection {
  stream: Duplex;
  sendCopyFromChunk(chunk: Uint8Array): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

/** The methods that pg calls on the active query. */
interface CopyHandlers {
  handleCopyData?(message: { chunk: Uint8Array }, connection: CopyConnection): void;
  handleCopyInResponse?(connection: CopyConnection): void;
}

/** Rows go on in batches of this size: to compress them one by one takes many times as long. */
const batchBytes = 65_536;

/** Runs `copy … to stdout` into a stream, which it ends; gives the number of rows. */
export async function copyOut(client: pg.Client, statement: string, into: Writable): Promise<number> {
  let batch: Uint8Array[] = [];
  let bytes = 0;
  try {
    const rows = await runCopy(client, statement, {
      handleCopyData({ chunk }, { stream }) {
        // A copy, since pg uses its buffer again.
        batch.push(Uint8Array.from(chunk));
        bytes += chunk.length;
        if (bytes < batchBytes) return;
        const isFull = !into.write(Buffer.concat(batch));
        batch = [];
        bytes = 0;
        if (!isFull || stream.isPaused()) return;
        stream.pause();
        into.once("drain", () => stream.resume());
      },
    });
    into.end(Buffer.concat(batch));
    return rows;
  } catch (error) {
    into.destroy(error as Error);
    throw error;
  } finally {
    // Once ended, `into` no longer says that it has drained.
    client.connection.stream.resume();
  }
}

/** Runs `copy … from stdin` on what a stream gives; gives the number of rows. */
export function copyIn(
  client: pg.Client,
  statement: string,
  from: AsyncIterable<Uint8Array>,
): Promise<number> {
  return runCopy(client, statement, {
    handleCopyInResponse: (connection) => void feed(connection, from),
  });
}

async function feed(connection: CopyConnection, from: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const chunk of from) {
      connection.sendCopyFromChunk(chunk);
      if (connection.stream.writableNeedDrain) await once(connection.stream, "drain");
    }
    connection.endCopyFrom();
  } catch (error) {
    // This fails the statement; where that has failed already, PostgreSQL takes no notice.
    connection.sendCopyFail((error as Error).message);
  }
}

function runCopy(client: pg.Client, statement: string, handlers: CopyHandlers): Promise<number> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(statement, (error, result) => {
      if (error) reject(error);
      else resolve(result.rowCount ?? 0);
    });
    client.query(Object.assign(query, handlers));
  });
}
