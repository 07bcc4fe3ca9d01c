/** After so much work everything else gets its turn. */
const maxWorkMs = 10;

/** What was worked since the last pause, by everybody, and the pause that there may be now. */
const shared: { workedMs: number; pause: Promise<void> | null } = { workedMs: 0, pause: null };

/**
 * Does a piece of slow work so that a server stays responsive: whoever works through this function, all of them
 * together do about 10 ms, or one piece where that takes longer, before the event loop goes on.
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
