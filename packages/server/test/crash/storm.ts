import { setTimeout as delay } from "node:timers/promises";
import { launch } from "../process.ts";
import type { Draw } from "../seed/draw.ts";
import type { ProofDatabase } from "./database.ts";
import type { Receivers } from "./receivers.ts";
import { trace, until } from "./until.ts";

/** Longer than any lease, and than what the sweep waits before it wakes something. */
export const longerThanLeaseSeconds = 75;

/** One worker killed. */
export interface Kill {
  at: number;
  /** When the worker that was killed had been started. */
  startedAt: number;
  wasStarting: boolean;
  /** Whether events waited for their deliveries. */
  wasFanningOut: boolean;
}

/** What a storm rages in. */
interface Surroundings {
  database: ProofDatabase;
  receivers: Receivers;
  /** What workers are started with. */
  env: Record<string, string>;
  draw: Draw;
}

export interface Storm {
  kills: Kill[];
  /** What workers complained about, and how often. */
  complaints: Map<string, number>;
  problems: string[];
  /** Keeps so many workers running, and kills one after the other until so many were killed in all. */
  rage(workers: number, untilKills: number): Promise<void>;
}

/** How much a worker sends at most before it is killed, and how long it may take; what it needs may be held by another. */
const requestsAtMost = 80;
const workMsAtMost = 3_000;

export function createStorm({ database, receivers, env, draw }: Surroundings): Storm {
  const storm: Storm = { kills: [], complaints: new Map(), problems: [], rage };
  return storm;

  async function rage(workers: number, untilKills: number): Promise<void> {
    let left = untilKills - storm.kills.length;
    await Promise.all(
      Array.from({ length: workers }, async () => {
        while (left > 0) {
          left -= 1;
          while (!(await runAndKill())) await delay(100);
          // As if nobody had started another for a while: leases run out, and retries fall due.
          if (draw.happens(0.5)) await database.pass(longerThanLeaseSeconds + draw.below(30));
        }
      }),
    );
  }

  /** False where the worker ended by itself, which it may while it finds no database. */
  async function runAndKill(): Promise<boolean> {
    const startedAt = performance.now();
    const restarts = database.restarts.length;
    const wasAway = database.isAway();
    const worker = launch(["worker"], env);
    let hasEnded = false;
    void worker.ended.then(() => (hasEnded = true));
    const wasStarting = draw.happens(0.15);
    if (wasStarting) await delay(draw.below(500));
    else {
      await until("a worker that is ready", () => hasEnded || worker.output().includes("ready in"));
      await work(() => hasEnded);
    }
    const at = performance.now();
    const { code, stderr } = await worker.stop("SIGKILL");
    listen(stderr);
    if (code !== null) {
      if (database.restarts.length === restarts && !wasAway && !database.isAway()) {
        storm.problems.push(`a worker ended by itself with ${code}: ${stderr.slice(-500)}`);
      }
      return false;
    }
    const waiting = await database.ask((sql) => sql`select from events where fanned_out_at is null limit 1`);
    storm.kills.push({ at, startedAt, wasStarting, wasFanningOut: waiting.count > 0 });
    trace("kill %d, after %d requests", storm.kills.length, receivers.arrivals.length);
    return true;
  }

  /** For a while, whatever is done in it; or until so much was sent, which a machine may be slow to. */
  async function work(hasEnded: () => boolean): Promise<void> {
    if (draw.happens(0.4)) return delay(draw.below(700));
    const enough = receivers.arrivals.length + 1 + draw.below(requestsAtMost);
    const deadline = performance.now() + workMsAtMost;
    while (receivers.arrivals.length < enough && performance.now() < deadline && !hasEnded()) await delay(1);
    await delay(draw.below(20));
  }

  function listen(stderr: string): void {
    for (const [, message = ""] of stderr.matchAll(/"msg":"((?:[^"\\]|\\.)*)"/g)) {
      const kind = message.replaceAll(/\d+|'[^']*'|worker-\w+|\{.*\}/g, "…").slice(0, 160);
      storm.complaints.set(kind, (storm.complaints.get(kind) ?? 0) + 1);
    }
  }
}
