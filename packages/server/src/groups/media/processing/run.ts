import { once } from "node:events";
import { ranOutOfMemory, startBoundedChild } from "../../../kernel/bounded-child.ts";
import type { Report } from "./child.ts";
import { MediaError, type Processed, type Task, tooMuchMemory } from "./task.ts";

/** What media may use, so that a hostile file does no harm to the machine. A picture of 50 million pixels can need most of it. */
export interface Bounds {
  memoryMb: number;
  ms: number;
}
const usual: Bounds = { memoryMb: 1_024, ms: 60_000 };

/**
 * Reads media in a process of its own, which may die of them.
 * @throws {MediaError} if they cannot be shown; the signal's reason, once it aborts.
 */
export async function runProcessing(
  task: Task,
  { signal, bounds: { memoryMb, ms } = usual }: { signal: AbortSignal; bounds?: Bounds | undefined },
): Promise<Processed> {
  signal.throwIfAborted();
  const child = startBoundedChild("groups/media/processing/child", {
    heapMb: Math.min(256, memoryMb),
    args: [String(memoryMb * 1024 * 1024)],
  });
  const { promise, resolve, reject } = Promise.withResolvers<Processed>();
  const ended = once(child, "exit");
  const onAbort = () => reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort);
  const timer = setTimeout(() => reject(new MediaError(tooSlow)), ms);
  child.on("message", (report: Report) => {
    if (report.type === "processed") resolve(report.processed);
    else if (report.type === "refused") reject(new MediaError(report.message));
    else reject(new Error(`the processing of media failed: ${report.stack}`));
  });
  child.on("error", reject);
  child.on("exit", (code, by) => {
    if (code === tooMuchMemory || ranOutOfMemory(code, by)) reject(new MediaError(tooLarge));
    else reject(new Error(`the processing of media ended with ${code}, and without a result`));
  });
  child.send(task, () => {});
  try {
    return await promise;
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    if (child.connected) child.disconnect();
    // Its files can be moved then. One that did not start does not end.
    await ended.catch(() => {});
  }
}

const tooLarge = "Reading it needs more memory than media may use.";
const tooSlow = "Reading it takes longer than media may take.";
