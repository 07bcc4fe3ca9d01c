import type { AbortSignal } from "./web.ts";

/**
 * The result of the work, or undefined after `ms`. The work itself goes on.
 * @throws the reason of the signal, if it aborts first.
 */
export function within<T>(ms: number, work: PromiseLike<T>, signal?: AbortSignal): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = () => {};
  const waited = new Promise<T | undefined>((resolve, reject) => {
    abort = () => reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    // A timer for more than 24 days would fire at once.
    if (ms < 2 ** 31) timer = setTimeout(() => resolve(undefined), ms);
    work.then(resolve, reject);
  });
  return waited.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  });
}
