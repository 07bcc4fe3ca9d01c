import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Tests } from "./related.ts";

export type Outcome = "caught" | "hung" | "survived";

/** How long tests may take that are not changed; with a change, three times what they then took and a little. */
const longestMs = 600_000;
const patience = 3;
const graceMs = 30_000;

/** How long tests took that passed without a change. */
const known = new Map<string, number>();

/**
 * Runs the related tests over a copy with a change, up to the first that fails. What has not run yet runs without the
 * change first.
 * @throws {Error} where tests fail without a change, since they would then catch everything.
 */
export async function outcomeOf(
  copy: string,
  steps: readonly Tests[],
  { change, restore }: { change: () => void; restore: () => void },
): Promise<Outcome> {
  for (const step of steps) {
    const tookMs = known.get(keyOf(step)) ?? (await timeOf(copy, step));
    known.set(keyOf(step), tookMs);
    change();
    const outcome = await run(copy, step, Math.min(tookMs * patience + graceMs, longestMs));
    restore();
    if (outcome !== "survived") return outcome;
  }
  return "survived";
}

async function timeOf(copy: string, step: Tests): Promise<number> {
  const startedMs = performance.now();
  const outcome = await run(copy, step, longestMs);
  if (outcome !== "survived") throw new Error(`Without a change, some of these fail: ${keyOf(step)}`);
  return performance.now() - startedMs;
}

const keyOf = ({ project, files }: Tests) => [project, ...files].join(" ");

let running: ChildProcess | undefined;
process.on("exit", () => end("SIGTERM"));

/** Ends the tests that run, with all that they have started. */
function end(signal: NodeJS.Signals): void {
  try {
    if (running?.pid !== undefined) process.kill(-running.pid, signal);
  } catch {
    // They have ended meanwhile.
  }
}

async function run(cwd: string, { project, files }: Tests, limitMs: number): Promise<Outcome> {
  const vitest = join(cwd, "node_modules/vitest/vitest.mjs");
  const options = ["run", "--config", "vitest.workspace.ts", "--bail=1", "--project", project];
  // A group of its own, so that what it starts ends with it.
  running = spawn(process.execPath, [vitest, ...options, ...files], { cwd, stdio: "ignore", detached: true });
  let isHung = false;
  const timers = [
    setTimeout(() => {
      isHung = true;
      end("SIGTERM");
    }, limitMs),
    setTimeout(() => end("SIGKILL"), limitMs + 10_000),
  ];
  const [code] = await once(running, "close");
  running = undefined;
  for (const timer of timers) clearTimeout(timer);
  return isHung ? "hung" : code === 0 ? "survived" : "caught";
}
