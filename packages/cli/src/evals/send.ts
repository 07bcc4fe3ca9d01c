import type { ResultInput } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { batches } from "./results.ts";

/** How results are brought to a run. */
export interface Sending {
  client: Client;
  runId: string;
  /** Reads the results from the first one on. */
  read: () => AsyncIterable<ResultInput>;
  /** How many results the run has from an earlier report. */
  known: number;
  stop: AbortSignal;
  /** Hears after each batch how many of the results the run has. */
  onSent: (count: number) => void;
}

/**
 * Brings results to a run. If an earlier report of the same files broke off, goes on after its last batch. While a batch is
 * under way, the next one is read.
 */
export async function sendResults(sending: Sending): Promise<void> {
  const { read, onSent, stop } = sending;
  const after = await sentBefore(sending);
  onSent(after);
  let count = 0;
  let underWay = Promise.resolve();
  for await (const batch of batches(read())) {
    await underWay;
    stop.throwIfAborted();
    count += batch.length;
    if (count <= after) continue;
    const reached = count;
    underWay = append(sending, batch).then(() => onSent(reached));
    // It is awaited, but only when the next batch is read.
    underWay.catch(() => {});
  }
  await underWay;
}

/**
 * How many results need not be sent again. The same files make the same batches, so that an earlier report ended with one of
 * them. That one is sent again: if the registry has it as it is, the files are the same. Otherwise it is 0.
 */
async function sentBefore(sending: Sending): Promise<number> {
  const { read, known, stop } = sending;
  if (known === 0) return 0;
  let count = 0;
  for await (const batch of batches(read())) {
    count += batch.length;
    stop.throwIfAborted();
    if (count < known) continue;
    const { appended } = await append(sending, batch);
    return appended === 0 ? count : 0;
  }
  return 0;
}

const append = ({ client, runId, stop }: Sending, results: ResultInput[]) =>
  client.evals.runs.appendResults({ id: runId, body: { results } }, { signal: stop });
