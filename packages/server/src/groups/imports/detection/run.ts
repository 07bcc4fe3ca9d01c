import { once } from "node:events";
import { ranOutOfMemory, startBoundedChild } from "../../../kernel/bounded-child.ts";
import { SourceError } from "../sources/index.ts";
import type { Report } from "./child.ts";
import type { Ending, Finding, Task } from "./find.ts";

/** The memory that a detection may use for objects, so that a hostile file does no harm to the machine. */
const maxHeapMb = 256;

interface Run extends Finding {
  signal: AbortSignal;
  heapMb?: number | undefined;
}

/**
 * Finds prompts in a process of its own. Returns what else is to be said.
 * @throws {SourceError} if the material cannot be read; the signal's reason, once it aborts.
 */
export async function runDetection(
  task: Task,
  { onItems, rest, signal, heapMb = maxHeapMb }: Run,
): Promise<Ending> {
  signal.throwIfAborted();
  const child = startBoundedChild("groups/imports/detection/child", { heapMb });
  const { promise, resolve, reject } = Promise.withResolvers<Ending>();
  const ended = once(child, "exit");
  const onAbort = () => reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort);
  child.on("message", (report: Report) => {
    if (report.type === "end") resolve(report);
    else if (report.type === "refused") reject(new SourceError(report.message));
    else if (report.type === "broken") reject(new Error(`the detection failed: ${report.stack}`));
    else {
      const paused = report.type === "rest" ? rest() : onItems(report.items);
      // Where it has ended, its exit says so.
      paused.then(() => child.send("go on", () => {}), reject);
    }
  });
  child.on("error", reject);
  child.on("exit", (code, by) => {
    if (ranOutOfMemory(code, by)) reject(new SourceError(tooLarge));
    else reject(new Error(`the detection ended with ${code}, and without a result`));
  });
  child.send(task, () => {});
  try {
    return await promise;
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
    // It ends by itself then, and keeps what it compiled.
    if (child.connected) child.disconnect();
    // Its files can be deleted then. One that did not start does not end.
    await ended.catch(() => {});
  }
}

const tooLarge = "Reading it needs more memory than an import may use. Import it in parts.";
