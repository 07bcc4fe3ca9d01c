/** After so much work the event loop runs. */
const maxWorkMs = 10;

/** The time of all work since the last pause, and the current pause. */
const shared: { workedMs: number; pause: Promise<void> | null } = { workedMs: 0, pause: null };

/**
 * Runs a piece of slow work so that a server stays responsive. All callers of this function together work for about 10 ms,
 * or for one piece if that takes longer. Then the event loop runs.
 */
export async function inTurn<T>(work: () => T): Promise<T> {
  while (shared.pause !== null) await shared.pause;
  const startedMs = performance.now();
  try {
    return work();
  } finally {
    shared.workedMs += performance.now() - startedMs;
    if (shared.workedMs > maxWorkMs) {
      shared.workedMs = 0;
      shared.pause = new Promise((resolve) => {
        setTimeout(() => {
          shared.pause = null;
          resolve();
        });
      });
    }
  }
}
