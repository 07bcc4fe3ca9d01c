import { AsyncLocalStorage } from "node:async_hooks";
import { vi } from "vitest";
import { run as runHere } from "../src/program.ts";
import { type TestDatabase, testSecret } from "./harness.ts";
import type { Ending } from "./process.ts";

/** What a process of `promptreg-server` needs to know to work on a database. */
export const environmentOf = ({ url }: TestDatabase) => ({
  DATABASE_URL: url,
  PROMPTREG_SECRET: testSecret,
});

/** Commands of `promptreg-server` in the process of a test, several at once if need be. */
export interface CommandLine {
  run(...args: string[]): Promise<Ending>;
  /** Puts back what it changed of this process. */
  close(): void;
}

/** What a command listens to until its process ends. */
const ends: [emitter: NodeJS.EventEmitter, event: string][] = [
  ...["SIGINT", "SIGTERM", "SIGHUP"].map((signal): [typeof process, string] => [process, signal]),
  ...[process.stdout, process.stderr].map((stream): [typeof stream, string] => [stream, "error"]),
];

export function openCommandLine(environment: Record<string, string>): CommandLine {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const running = new AsyncLocalStorage<{ stdout: string; stderr: string }>();
  const spies = (["stdout", "stderr"] as const).map((name) => {
    const write = process[name].write.bind(process[name]) as (text: unknown) => boolean;
    return vi.spyOn(process[name], "write").mockImplementation((text, ...more: unknown[]) => {
      const said = running.getStore();
      if (!said) return write(text);
      said[name] += String(text);
      const written = more.at(-1);
      if (typeof written === "function") written();
      return true;
    });
  });
  const heard = ends.map(([emitter, event]) => new Set(emitter.listeners(event)));
  return {
    async run(...args) {
      const said = { stdout: "", stderr: "" };
      const code = await running.run(said, () => runHere(args));
      // A process that ends has no need to stop listening.
      for (const [nth, [emitter, event]] of ends.entries())
        for (const listener of emitter.listeners(event) as (() => void)[])
          if (!heard[nth]?.has(listener)) emitter.off(event, listener);
      return { code, ...said };
    },
    close() {
      for (const spy of spies) spy.mockRestore();
      vi.unstubAllEnvs();
    },
  };
}
