// oxlint-disable unicorn/require-post-message-target-origin -- a thread is no window
import { parentPort } from "node:worker_threads";
import { renderFully, type TextKind } from "./render.ts";

// A thread that renders long texts, so that the one which answers requests does not wait, and one that takes too long can be ended.
parentPort?.on("message", ({ text, kind }: { text: string; kind: TextKind }) =>
  parentPort?.postMessage(renderFully(text, kind)),
);
parentPort?.postMessage("");
