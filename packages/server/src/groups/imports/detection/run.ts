import { Worker } from "node:worker_threads";
import { SourceError } from "../sources/index.ts";
import type { FoundItem } from "./items.ts";
import type { Report, Task } from "./thread.ts";

/** The memory that a detection may use, so that a hostile file does no harm to the process. */
const maxHeapMb = 256;

// A checkout runs the sources, a package what was built of them: its chunks lie above its entries.
const isSource = import.meta.url.endsWith(".ts");
const file = new URL(isSource ? "./thread.ts" : "./groups/imports/detection/thread.js", import.meta.url);
// What is not given it cannot tell. In a test, the first thread reads TypeScript for all.
const env = isSource ? { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] } : {};
const execArgv = isSource ? ["--conditions=@promptreg/source"] : [];

interface Run {
  /** Writes items. The thread waits for it. */
  onItems: (items: readonly FoundItem[]) => Promise<void>;
  signal: AbortSignal;
  heapMb?: number | undefined;
}

/** What is known once all items were written. */
export type Ending = Pick<Extract<Report, { type: "end" }>, "warnings" | "found" | "near">;

/**
 * Finds prompts in a thread of its own, since parsing files of others would hold up deliveries. Returns what else is to be said.
 * @throws {SourceError} if the material cannot be read; the signal's reason, once it aborts.
 */
export async function runDetection(
  task: Task,
  { onItems, signal, heapMb = maxHeapMb }: Run,
): Promise<Ending> {
  signal.throwIfAborted();
  const resourceLimits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
  const worker = new Worker(file, { workerData: task, execArgv, env, resourceLimits });
  const { promise, resolve, reject } = Promise.withResolvers<Ending>();
  const onAbort = () => reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort);
  worker.on("message", (report: Report) => {
    if (report.type === "end") resolve(report);
    else if (report.type === "refused") reject(new SourceError(report.message));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    else onItems(report.items).then(() => worker.postMessage("written"), reject);
  });
  worker.on("error", (error: NodeJS.ErrnoException) =>
    reject(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? new SourceError(tooLarge) : error),
  );
  worker.on("exit", (code) => reject(new Error(`the detection ended with ${code}, and without a result`)));
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    await worker.terminate();
  }
}

const tooLarge = "Reading it needs more memory than an import may use. Import it in parts.";
