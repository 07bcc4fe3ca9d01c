import type { AbortSignal } from "./web.ts";

/**
 * What work gives, or undefined once that much time has passed. The work itself goes on.
 * @throws the reason of the signal, when that is earlier.
 */
export function within<T>(ms: number, work: PromiseLike<T>, signal?: AbortSignal): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort = () => {};
  const waited = new Promise<T | undefined>((resolve, reject) => {
    abort = () => reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    // A timer holds no more than 24 days, and would end at once.
    if (ms < 2 ** 31) timer = setTimeout(() => resolve(undefined), ms);
    work.then(resolve, reject);
  });
  return waited.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  });
}
