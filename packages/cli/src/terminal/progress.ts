import type { Stream } from "./io.ts";

/** What is shown while something takes its time. */
export interface Progress {
  /** Takes it off the terminal; it is drawn again unless it was ended. */
  clear: () => void;
  end: () => void;
}

const shownAfterMs = 1_000;
const drawnEveryMs = 100;
const loggedEveryMs = 10_000;

/** Shows a line that tells how far it is, on a terminal, and only when it takes longer than a second. */
export function drawProgress(stderr: Stream, text: () => string): Progress {
  const startedAt = performance.now();
  let isShown = false;
  const clear = () => {
    if (isShown) stderr.write("\r\u001b[2K");
    isShown = false;
  };
  const timer = setInterval(() => {
    if (performance.now() - startedAt < shownAfterMs) return;
    clear();
    stderr.write(text());
    isShown = true;
  }, drawnEveryMs);
  return {
    clear,
    end() {
      clearInterval(timer);
      clear();
    },
  };
}

/** Adds a line now and then, where nothing can be drawn again: many pipelines end what is silent for long. */
export function logProgress(stderr: Stream, text: () => string): Progress {
  const timer = setInterval(() => stderr.write(`${text()}\n`), loggedEveryMs);
  return { clear: () => {}, end: () => clearInterval(timer) };
}
