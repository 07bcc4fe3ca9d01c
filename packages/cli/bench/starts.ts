import { spawn } from "node:child_process";
import { once } from "node:events";
import { isShort } from "../../../scripts/short.ts";

/** A command, and how much longer than the first one it may take. */
interface Start {
  command: readonly string[];
  limitMs?: number;
}

/** Runs each command in its turn, round after round, and prints the medians against the first. */
export async function measureStarts(starts: Readonly<Record<string, Start>>, rounds: number): Promise<void> {
  const names = Object.keys(starts);
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, { command, limitMs }] of Object.entries(starts)) {
      const { ms, code } = await run(command);
      if (code !== 0 && limitMs !== undefined) throw new Error(`${name} ended with ${code}.`);
      // The first brings the files into memory.
      if (round > 0) times.get(name)?.push(ms);
    }
  }
  const least = median(times.get(names[0] ?? "") ?? []);
  for (const [name, { limitMs }] of Object.entries(starts)) {
    const ms = median(times.get(name) ?? []);
    const limit =
      limitMs === undefined || isShort ? "" : `  limit +${limitMs}${ms - least > limitMs ? "  ✗" : "  ✓"}`;
    const figures = [`${ms.toFixed(1)} ms`, `+${(ms - least).toFixed(1)}`, `× ${(ms / least).toFixed(2)}`];
    console.log(`${name.padEnd(28)} ${figures.map((text) => text.padStart(9)).join("  ")}${limit}`);
  }
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function run([command = "", ...args]: readonly string[]): Promise<{ ms: number; code: number | null }> {
  const startedAt = performance.now();
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.resume();
  child.stderr.resume();
  const [code] = await once(child, "close");
  return { ms: performance.now() - startedAt, code };
}
