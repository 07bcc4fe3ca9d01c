import { once } from "node:events";
import process from "node:process";
import { processImage } from "./images.ts";
import { processModel } from "./models.ts";
import { processRecording } from "./recordings.ts";
import { asSent, MediaError, type Processed, type Task, tooMuchMemory } from "./task.ts";

/** What the process says. */
export type Report =
  | { type: "processed"; processed: Processed }
  /** The media cannot be shown. */
  | { type: "refused"; message: string }
  /** The fault is ours. */
  | { type: "broken"; stack: string };

/** What a picture takes is not in the heap, which has its own bound. */
const maxBytes = Number(process.argv[2]);
setInterval(() => {
  if (process.memoryUsage.rss() > maxBytes) process.exit(tooMuchMemory);
}, 20).unref();

// Ctrl-C in a terminal reaches us too. Whoever started us ends us, and is there no more where the channel is closed.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
process.on("disconnect", () => process.exit());

const work: Record<Task["kind"], (task: Task) => Promise<Processed>> = {
  image: processImage,
  video: processRecording,
  audio: processRecording,
  model3d: processModel,
  file: async (task) => asSent(task),
};

const [task] = (await once(process, "message")) as [Task];
let report: Report;
try {
  report = { type: "processed", processed: await work[task.kind](task) };
} catch (error) {
  report =
    error instanceof MediaError
      ? { type: "refused", message: error.message }
      : { type: "broken", stack: (error as Error).stack ?? String(error) };
}
process.send!(report);
