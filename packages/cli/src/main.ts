#!/usr/bin/env node
import { run } from "./run.ts";

// A reader that has enough, such as `head`, closes the pipe. That is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

const { stdin, stdout, stderr, env } = process;
const isInteractive = stdin.isTTY && stderr.isTTY;
process.exitCode = await run(process.argv.slice(2), {
  stdin,
  stdout,
  stderr,
  env,
  ask: isInteractive
    ? {
        confirm: async (question) => (await import("./ask.ts")).ask.confirm(question),
        secret: async (question) => (await import("./ask.ts")).ask.secret(question),
      }
    : undefined,
  holdInterrupts() {
    const interrupt = new AbortController();
    process.once("SIGINT", () => interrupt.abort());
    return interrupt.signal;
  },
});
