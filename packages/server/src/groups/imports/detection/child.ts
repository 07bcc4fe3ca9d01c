import { once } from "node:events";
import process from "node:process";
import { ArchiveError } from "@promptreg/core/archives";
import { type Ending, find, type Task } from "./find.ts";
import type { FoundItem } from "./items.ts";

/** What the process says. After `items` and `rest` it waits until it may go on. */
export type Report =
  | { type: "items"; items: FoundItem[] }
  | { type: "rest" }
  | ({ type: "end" } & Ending)
  /** The material cannot be read. */
  | { type: "refused"; message: string }
  /** The fault is ours. */
  | { type: "broken"; stack: string };

/** After so much work others have their turn. */
const sliceMs = 300;

const report = (message: Report) => process.send!(message);
const wait = () => once(process, "message");

// Ctrl-C in a terminal reaches us too. Whoever started us ends us, and is there no more where the channel is closed.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
process.on("disconnect", () => process.exit());

const [task] = (await wait()) as [Task];
try {
  let startedMs = performance.now();
  const ending = await find(task, {
    async onItems(items) {
      report({ type: "items", items });
      await wait();
    },
    async rest() {
      if (performance.now() - startedMs < sliceMs) return;
      report({ type: "rest" });
      await wait();
      startedMs = performance.now();
    },
  });
  report({ type: "end", ...ending });
} catch (error) {
  if (error instanceof ArchiveError) report({ type: "refused", message: error.message });
  else report({ type: "broken", stack: (error as Error).stack ?? String(error) });
}
