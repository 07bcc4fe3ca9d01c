import { EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { SpanKind } from "@opentelemetry/api";
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
import { type DatabaseAddress, queueSchemaOf } from "./database/connection.ts";
import { connectToWork } from "./database/open.ts";
import { renewStatistics } from "./database/statistics.ts";
import { keepAsking, openJobPool } from "./database/pool.ts";
import { groups, trends } from "./groups/index.ts";
import { asApiError } from "./kernel/failures/as-api-error.ts";
import { selectBacklog } from "./backlog.sql.ts";
import { moveOutbox } from "./kernel/changes/outbox.ts";
import { alone, inSpan } from "./kernel/telemetry/tracing.ts";
import { watchBacklog } from "./kernel/telemetry/backlog.ts";
import { deleteOldActivity } from "./kernel/changes/activity.sql.ts";
import { flushCounters } from "./kernel/changes/counters.ts";
import { sweepFiles } from "./kernel/store/stored-files.ts";
import { deleteExpiredKeys } from "./kernel/operations/idempotency.ts";
import type { GroupWork, ServerGroup } from "./kernel/group.ts";
import type { ServerContext } from "./kernel/server-context.ts";

/** Concurrent jobs in one process. A job only starts deliveries: these are not counted. */
const concurrency = 24;
/** How often to look for what committed changes left, although nobody told of it. */
const lookMs = 1_000;
/** How often to look for work that no job will start. */
const sweepMs = 10_000;

/** How long to wait before the queue is started again, if it gave up because the database was down for too long. */
const pauseMs = 1_000;

/** Runs the background jobs until it is stopped. Stopping waits for running jobs. */
export async function startWorker(
  process: ServerContext,
  address: DatabaseAddress,
): Promise<{ stop(): Promise<void> }> {
  const server = toWork(process, address);
  const work = workOf(server);
  let isStopping = false;
  const report = (error: unknown) => server.failures.report(error, { operation: "worker" });
  const pool = openJobPool(address, (error) => {
    if (!isStopping) report(error);
  });
  const events = listening(address);
  server.metrics?.followJobs(events);
  const watch = watchBacklog(server.log);
  let runner: Runner = await run({ ...optionsOf(server, { address, pool, work }), events });
  const supervision = supervise();
  const sweep = () =>
    void everyTenSeconds(server, work)
      .then(async () => {
        const backlog = await selectBacklog(server.sql, { hasCdn: server.cdn !== null });
        server.metrics?.setBacklog(backlog);
        watch(backlog);
      })
      .catch((error: unknown) => server.failures.report(error, { operation: "sweep" }));
  const sweeping = setInterval(sweep, sweepMs);
  const wake = joined(() =>
    doWhatChangesLeft(server, work, { isComplete: false }).catch((error: unknown) => {
      // While the database is away, the sweep says so, and each second would be too often.
      if (asApiError(error).code !== "unavailable") server.failures.report(error, { operation: "wake" });
    }),
  );
  const looking = setInterval(wake, lookMs);
  const unsubscribe = server.bus.subscribe(wake);
  return {
    async stop() {
      isStopping = true;
      clearInterval(sweeping);
      clearInterval(looking);
      unsubscribe();
      await wake.ended();
      await runner.stop().catch(() => {});
      await supervision;
      // Perhaps another one was just started.
      await runner.stop().catch(() => {});
      await each(work, "stop");
      await pool.end();
      await server.sql.end({ timeout: 5 });
    },
  };

  /** A queue gives up if it cannot record its results. Starts another one: what is due is in our own rows. */
  async function supervise(): Promise<void> {
    for (;;) {
      await runner.promise.catch(report);
      if (isStopping) return;
      await delay(pauseMs);
      try {
        runner = await run({ ...optionsOf(server, { address, pool, work }), events });
      } catch (error) {
        report(error);
      }
      // `stop` was called during the pause, and stops the new runner.
      if (isStopping) return;
    }
  }
}

/** A worker that works only when told to, on connections that it keeps. */
export interface ManualWorker {
  /**
   * Does what is due by the clock, including retries and housekeeping. Ends when that is done and deliveries have responses.
   * @throws the error of a job that failed.
   */
  workOff(): Promise<void>;
  stop(): Promise<void>;
}

export function openManualWorker(process: ServerContext, address: DatabaseAddress): ManualWorker {
  const server = toWork(process, address);
  const pool = openJobPool(address, () => {});
  return {
    async workOff() {
      const work = workOf(server);
      const events = new EventEmitter();
      const failures: unknown[] = [];
      events.on("job:error", ({ error }: { error: unknown }) => failures.push(error));
      const runJobs = async () => {
        await runOnce({ ...optionsOf(server, { address, pool, work }), concurrency: 2, events });
        await each(work, "idle");
      };
      try {
        await everyMinute(server, address, work);
        await each(work, "hourly");
        await doWhatChangesLeft(server, work, { isComplete: true });
        await runJobs();
        // Jobs run by the real time. What is due by the clock, or has come meanwhile, is in our own rows.
        await everyTenSeconds(server, work, { overdueSeconds: 0 });
        await runJobs();
      } finally {
        await each(work, "stop");
      }
      if (failures.length > 0) throw failures[0];
    },
    async stop() {
      await pool.end();
      await server.sql.end({ timeout: 5 });
    },
  };
}

/** Checks the connection on which the queue listens. */
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

/** The same context with its own connections. Later changes of the context, such as its URL, apply here too. */
const toWork = (process: ServerContext, address: DatabaseAddress): ServerContext =>
  Object.assign(Object.create(process), { sql: connectToWork(address) });

/** The background work of all groups. */
function workOf(server: ServerContext): GroupWork[] {
  const all: Pick<ServerGroup<GroupName>, "work">[] = Object.values(groups);
  return all.flatMap(({ work }) => work?.(server, { trends }) ?? []);
}

/** Calls one function of each group, one after the other. */
async function each<Part extends "wake" | "everyMinute" | "hourly" | "sweep" | "idle" | "stop">(
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
  await doWhatChangesLeft(server, work, { isComplete: true });
  await each(work, "sweep", options);
}

/** Fills the queue from the outbox, and fans out events. */
async function doWhatChangesLeft(
  server: ServerContext,
  work: readonly GroupWork[],
  options: { isComplete: boolean },
): Promise<void> {
  await moveOutbox(server.sql);
  await each(work, "wake", options);
}

/** Runs work once at a time; whoever calls it meanwhile has it run once more. */
function joined(work: () => Promise<void>): (() => void) & { ended(): Promise<void> } {
  let running = Promise.resolve();
  let isRunning = false;
  let isCalled = false;
  const run = async () => {
    isRunning = true;
    for (isCalled = true; isCalled; ) {
      isCalled = false;
      await work();
    }
    isRunning = false;
  };
  const call = () => {
    isCalled = true;
    if (!isRunning) running = run();
  };
  return Object.assign(call, { ended: () => running });
}

async function everyMinute(
  server: ServerContext,
  address: DatabaseAddress,
  work: readonly GroupWork[],
): Promise<void> {
  await renewStatistics(server.sql, address);
  await deleteExpiredKeys(server.sql);
  await deleteOldActivity(server.sql);
  await each(work, "everyMinute");
  // Last: a store that is away holds nothing else up.
  await sweepFiles(server);
}

const optionsOf = (
  server: ServerContext,
  { address, pool, work }: { address: DatabaseAddress; pool: pg.Pool; work: readonly GroupWork[] },
): RunnerOptions => ({
  pgPool: pool,
  schema: queueSchemaOf(address),
  concurrency,
  noHandleSignals: true,
  pollInterval: 2_000,
  // In batches even without a delay, because a failed batch is retried. A single failed completion would end the process.
  preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  crontab: "* * * * * housekeeping\n0 * * * * hourly",
  // A mail server that hangs blocks only a few slots. Deliveries have the rest.
  forbiddenFlags: () => (server.mailer?.isBusy ? ["mail"] : null),
  // Its messages repeat the error's message, which may quote a row.
  logger: new WorkerLogger(() => (level, message, about) => {
    if (level !== "error") return;
    const { error, fatalError, job } = (about ?? {}) as { error?: unknown; fatalError?: unknown; job?: Job };
    server.failures.report(error ?? fatalError ?? new Error(message), {
      operation: job ? `job ${job.task_identifier}` : "worker",
    });
  }),
  taskList: traced({
    ...(Object.assign({}, ...work.map(({ tasks }) => tasks)) as TaskList),
    housekeeping: () => everyMinute(server, address, work),
    hourly: () => each(work, "hourly"),
  }),
});

/** The same tasks, each in a span. */
const traced = (tasks: TaskList): TaskList =>
  Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [
      name,
      (payload, helpers) =>
        inSpan({ name: `job ${name}`, kind: SpanKind.CONSUMER }, alone, async () => task?.(payload, helpers)),
    ]),
  );
