import type { Io } from "./output.ts";
import { run } from "./run.ts";
import { stdout } from "./stdout.ts";

/** Runs a command line in this process, and leaves its exit code there. */
export async function start(argv: readonly string[]): Promise<void> {
  process.on("uncaughtException", (error: NodeJS.ErrnoException) => {
    // The reader of a stream has had enough.
    if (error.code === "EPIPE") process.exit(0);
    void fail(error);
  });
  process.exitCode = await run(argv, io);
}

/** What nobody caught, a rejected promise too: it is told as any other error. */
async function fail(error: unknown): Promise<never> {
  const { createOutput } = await import("./output.ts");
  createOutput(io, { debug: process.argv.includes("--debug") }).error(error);
  process.exit(1);
}

/** This process. Its streams are opened when they are asked for, which takes longer than much of what is done. */
const io: Io = {
  get stdin() {
    return process.stdin;
  },
  stdout,
  get stderr() {
    return process.stderr;
  },
  env: process.env,
  get ask() {
    if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
    return {
      confirm: async (question: string) => (await import("./ask.ts")).ask.confirm(question),
      secret: async (question: string) => (await import("./ask.ts")).ask.secret(question),
    };
  },
  holdInterrupts() {
    const interrupt = new AbortController();
    process.once("SIGINT", () => interrupt.abort());
    return interrupt.signal;
  },
};
