/** After so much work everything else gets its turn. */
const maxWorkMs = 10;

let workedMs = 0;
let pause: Promise<void> | null = null;

/**
 * Does a piece of slow work so that a server stays responsive: whoever works through this function, all of them
 * together do about 10 ms, or one piece where that takes longer, before the event loop goes on.
 */
export async function inTurn<T>(work: () => T): Promise<T> {
  while (pause !== null) await pause;
  const startedMs = performance.now();
  try {
    return work();
  } finally {
    workedMs += performance.now() - startedMs;
    if (workedMs > maxWorkMs) {
      workedMs = 0;
      pause = new Promise((resolve) => {
        setTimeout(() => {
          pause = null;
          resolve();
        });
      });
    }
  }
}
