import type { Io, Option } from "./terminal/io.ts";
import { exitCodeOf } from "./exit-codes.ts";
import { run } from "./run.ts";
import { stderr, stdout, unwritten } from "./terminal/streams.ts";

/** Runs a command line in this process, and leaves its exit code there. */
export async function start(argv: readonly string[]): Promise<void> {
  process.on("uncaughtException", (error) => void fail(error));
  process.exitCode = await run(argv, io);
}

/** What nobody caught, a rejected promise too, is told as any other error. */
async function fail(error: NodeJS.ErrnoException): Promise<never> {
  // The reader of a stream has had enough, as in `streams.ts`.
  if (error.code === "EPIPE") process.exit(0);
  const { createOutput } = await import("./terminal/output.ts");
  // Node's stream tells so late that no command can catch it.
  const told = error.syscall === "write" ? unwritten(error) : error;
  createOutput(io, { debug: process.argv.includes("--debug") }).error(told);
  process.exit(exitCodeOf(told));
}

const io: Io = {
  stdout,
  stderr,
  env: process.env,
  // Opened when it is asked for, which most command lines never do.
  get stdin() {
    return process.stdin;
  },
  get ask() {
    if (!process.stdin.isTTY || !stderr.isTTY) return undefined;
    return {
      choose: async (question: string, options: readonly Option[], signal?: AbortSignal) =>
        (await import("./terminal/ask.ts")).ask.choose(question, options, signal),
      confirm: async (question: string, signal?: AbortSignal) =>
        (await import("./terminal/ask.ts")).ask.confirm(question, signal),
      text: async (question: string) => (await import("./terminal/ask.ts")).ask.text(question),
      secret: async (question: string) => (await import("./terminal/ask.ts")).ask.secret(question),
    };
  },
  holdInterrupts() {
    const interrupt = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.once(signal, () => interrupt.abort());
    return interrupt.signal;
  },
};
