import { Worker } from "node:worker_threads";
import { renderPlain, type TextKind } from "./render.ts";

// A checkout runs the sources, a package what was built of them: its chunks lie above its entries.
const isSource = import.meta.url.endsWith(".ts");
const file = new URL(isSource ? "./thread.ts" : "./kernel/markdown/thread.js", import.meta.url);

/** A text for people is rendered in a hundredth of this, and the worst that we know in a tenth: a machine that is busy takes many times as long. */
const mostMs = 5_000;
const startMs = 30_000;
/** What a text may take of the memory. */
const heapMb = 128;

/** Texts that may wait for others. */
const mostWaiting = 8;

let thread: Worker | null = null;
/** The last text: they are rendered one after the other. */
let last: Promise<unknown> = Promise.resolve();
let waiting = 0;

/** Sends something to a thread, and gives its next message; null if there is none in time. */
async function ask(worker: Worker, ms: number, message?: object): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const fail = () => resolve(null);
  worker.once("message", resolve).once("exit", fail);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  if (message) worker.postMessage(message);
  const timer = setTimeout(fail, ms);
  const answer = await promise;
  clearTimeout(timer);
  worker.off("message", resolve).off("exit", fail);
  return answer;
}

/** A thread that has loaded what it needs. */
async function start(): Promise<Worker> {
  const started = new Worker(file, {
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    ...(isSource && { execArgv: ["--conditions=@promptreg/source"] }),
  });
  // It ends then, which `ask` sees; without a listener the process would.
  started.on("error", () => undefined);
  await ask(started, startMs);
  return started;
}

/** Renders one text; null if that takes too long, or too much. */
async function renderOne(text: string, kind: TextKind): Promise<string | null> {
  const worker = (thread ??= await start());
  worker.ref();
  const html = await ask(worker, mostMs, { text, kind });
  // It keeps no process alive.
  worker.unref();
  if (html === null) {
    thread = null;
    await worker.terminate();
  }
  return html;
}

/** Renders a long text in a thread. What takes too long stays as it was written. Null: too many wait already. */
export async function renderLong(text: string, kind: TextKind): Promise<string | null> {
  if (waiting >= mostWaiting) return null;
  waiting += 1;
  const rendered = last.then(() => renderOne(text, kind));
  last = rendered.catch(() => undefined);
  try {
    return (await rendered) ?? renderPlain(text);
  } finally {
    waiting -= 1;
  }
}
