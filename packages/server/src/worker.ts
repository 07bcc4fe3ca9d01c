import { EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { GroupName } from "@promptreg/core";
import {
  type Job,
  run,
  type Runner,
  type RunnerOptions,
  runOnce,
  type TaskList,
  type WorkerEvents,
  Logger as WorkerLogger,
} from "graphile-worker";
import type pg from "pg";
import type { DatabaseAddress } from "./database/connection.ts";
import { connectToWork } from "./database/open.ts";
import { keepAsking, openJobPool } from "./database/pool.ts";
import { groups, trends } from "./groups/index.ts";
import { flushCounters } from "./kernel/counters.ts";
import { forgetAnswers } from "./kernel/idempotency.ts";
import type { GroupWork, ServerGroup } from "./kernel/group.ts";
import type { ServerContext } from "./kernel/server-context.ts";

/** Tasks at once in one process. Deliveries are not among them: a task only sets them going. */
const concurrency = 24;
/** How often to look for what no job will wake. */
const sweepMs = 10_000;

/** How long to wait before working again, when the database was away for longer than the queue bears. */
const pauseMs = 1_000;

/** Runs the background jobs until it is stopped; stopping waits for the jobs under way. */
export async function startWorker(
  process: ServerContext,
  address: DatabaseAddress,
): Promise<{ stop(): Promise<void> }> {
  const server = toWork(process, address);
  const work = workOf(server);
  let isStopping = false;
  const tell = (error: unknown) => server.failures.tell(error, { operation: "worker" });
  const pool = openJobPool(address, (error) => {
    if (!isStopping) tell(error);
  });
  const events = listening(address);
  let runner: Runner = await run({ ...optionsOf(server, { pool, work }), events });
  const supervision = supervise();
  const sweep = () =>
    void everyTenSeconds(server, work).catch((error: unknown) =>
      server.failures.tell(error, { operation: "sweep" }),
    );
  const sweeping = setInterval(sweep, sweepMs);
  return {
    async stop() {
      isStopping = true;
      clearInterval(sweeping);
      await runner.stop().catch(() => {});
      await supervision;
      // Another one, if it was just being started.
      await runner.stop().catch(() => {});
      await each(work, "stop");
      await pool.end();
      await server.sql.end({ timeout: 5 });
    },
  };

  /** A queue that cannot tell its database what it did gives up. What is due still stands in our rows: start another. */
  async function supervise(): Promise<void> {
    for (;;) {
      await runner.promise.catch(tell);
      if (isStopping) return;
      await delay(pauseMs);
      try {
        runner = await run({ ...optionsOf(server, { pool, work }), events });
      } catch (error) {
        tell(error);
      }
      // Asked during the pause: who asked stops the new one, which nobody else would.
      if (isStopping) return;
    }
  }
}

/**
 * Does what is due now by the clock, retries and housekeeping too, and ends when that is done and deliveries are answered.
 * @throws the error of a job that failed.
 */
export async function workOff(process: ServerContext, address: DatabaseAddress): Promise<void> {
  const server = toWork(process, address);
  const work = workOf(server);
  const pool = openJobPool(address, () => {});
  const events = new EventEmitter();
  const failures: unknown[] = [];
  events.on("job:error", ({ error }: { error: unknown }) => failures.push(error));
  const runJobs = async () => {
    await runOnce({ ...optionsOf(server, { pool, work }), concurrency: 2, events });
    await each(work, "idle");
  };
  try {
    await everyMinute(server, work);
    await each(work, "hourly");
    await runJobs();
    // Jobs have run by the real time: what is due only by the clock, or has come meanwhile, is in our own rows.
    await everyTenSeconds(server, work, { overdueSeconds: 0 });
    await runJobs();
  } finally {
    await each(work, "stop");
    await pool.end();
    await server.sql.end({ timeout: 5 });
  }
  if (failures.length > 0) throw failures[0];
}

/** Watches over the connection on which the queue listens. */
function listening(address: DatabaseAddress): WorkerEvents {
  const asking = new Map<pg.PoolClient, { stop(): void }>();
  const events: WorkerEvents = new EventEmitter();
  events.on("pool:listen:success", ({ client }) => asking.set(client, keepAsking(client, address)));
  events.on("pool:listen:release", ({ client }) => {
    asking.get(client)?.stop();
    asking.delete(client);
  });
  return events;
}

/** The same process, with connections of its own. Whatever changes in the other, such as its address, changes here. */
const toWork = (process: ServerContext, address: DatabaseAddress): ServerContext =>
  Object.assign(Object.create(process), { sql: connectToWork(address) });

/** What every group does in a process that works. */
function workOf(server: ServerContext): GroupWork[] {
  const all: Pick<ServerGroup<GroupName>, "work">[] = Object.values(groups);
  return all.flatMap(({ work }) => work?.(server, { trends }) ?? []);
}

/** Lets each group do its part, one after the other. */
async function each<Part extends "everyMinute" | "hourly" | "sweep" | "idle" | "stop">(
  work: readonly GroupWork[],
  part: Part,
  ...given: Parameters<NonNullable<GroupWork[Part]>>
): Promise<void> {
  for (const one of work)
    await (one[part] as ((...given: unknown[]) => Promise<unknown>) | undefined)?.(...given);
}

async function everyTenSeconds(
  server: ServerContext,
  work: readonly GroupWork[],
  options?: { overdueSeconds: number },
): Promise<void> {
  await flushCounters(server.sql);
  await each(work, "sweep", options);
}

async function everyMinute(server: ServerContext, work: readonly GroupWork[]): Promise<void> {
  await forgetAnswers(server.sql);
  await each(work, "everyMinute");
}

const optionsOf = (
  server: ServerContext,
  { pool, work }: { pool: pg.Pool; work: readonly GroupWork[] },
): RunnerOptions => ({
  pgPool: pool,
  concurrency,
  noHandleSignals: true,
  pollInterval: 2_000,
  // In batches even without a delay, because a batch is tried again: a single one that fails would end the process.
  preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  crontab: "* * * * * housekeeping\n0 * * * * hourly",
  // A mail server that hangs takes a few slots, and deliveries have the rest.
  forbiddenFlags: () => (server.mailer?.isBusy ? ["mail"] : null),
  // Its messages repeat what the error says, which may quote a row.
  logger: new WorkerLogger(() => (level, message, about) => {
    if (level !== "error") return;
    const { error, fatalError, job } = (about ?? {}) as { error?: unknown; fatalError?: unknown; job?: Job };
    server.failures.tell(error ?? fatalError ?? new Error(message), {
      operation: job ? `job ${job.task_identifier}` : "worker",
    });
  }),
  taskList: {
    ...(Object.assign({}, ...work.map(({ tasks }) => tasks)) as TaskList),
    housekeeping: () => everyMinute(server, work),
    hourly: () => each(work, "hourly"),
  },
});
