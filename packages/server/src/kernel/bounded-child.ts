import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

// A checkout runs the sources, a package what was built of them: its chunks lie above its entries.
const isSource = import.meta.url.endsWith(".ts");
// What is not given it cannot tell. In a test, the first process reads TypeScript for all.
const env = isSource ? { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] } : {};
const conditions = isSource ? ["--conditions=@promptreg/source"] : [];

/**
 * Starts a process of its own for files of others: reading them would hold up deliveries, and what takes more memory than there is ends
 * a process with all its threads. `entry` is its file below the sources, without ending; the bundler has a line for it.
 */
export function startBoundedChild(
  entry: string,
  { heapMb, args = [] }: { heapMb: number; args?: string[] },
): ChildProcess {
  const file = fileURLToPath(new URL(isSource ? `../${entry}.ts` : `./${entry}.js`, import.meta.url));
  return fork(file, args, {
    execArgv: [...conditions, `--max-old-space-size=${heapMb}`, "--max-semi-space-size=16"],
    env,
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}

/** Whether a process ended since its memory did not suffice: so V8 ends it, and the kernel. */
export const ranOutOfMemory = (code: number | null, by: NodeJS.Signals | null): boolean =>
  by !== null || code === 134;
