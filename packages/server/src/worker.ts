import { setTimeout as delay } from "node:timers/promises";
import { run, type Runner, type RunnerOptions, Logger as WorkerLogger } from "graphile-worker";
import pg from "pg";
import { type DatabaseAddress, pgOptions } from "./database/connection.ts";
import { surviveBrokenConnections } from "./database/pool.ts";
import { pruneRuns, timeOutRuns } from "./groups/evals/index.ts";
import { mail, sweepNotifications } from "./groups/notifications/index.ts";
import { drain, fanOut, purgeWebhook, sweep } from "./groups/webhooks/index.ts";
import type { ServerContext } from "./kernel/server-context.ts";

/** Tasks at once in one process; they wait on other people's servers more than they work. */
const concurrency = 24;

/** How long to wait before working again, when the database was away for longer than the queue bears. */
const pauseMs = 1_000;

/** Runs the background jobs until it is stopped; stopping waits for the jobs under way. */
export async function startWorker(
  server: ServerContext,
  address: DatabaseAddress,
): Promise<{ stop(): Promise<void> }> {
  const pool = new pg.Pool(pgOptions(address));
  let isStopping = false;
  surviveBrokenConnections(pool, ({ message }) => {
    if (!isStopping) server.log.warn(`a connection of the worker broke: ${message}`);
  });
  let runner: Runner = await run(optionsOf(server, pool));
  const supervision = supervise();
  return {
    async stop() {
      isStopping = true;
      await runner.stop().catch(() => {});
      await supervision;
      // Another one, if it was just being started.
      await runner.stop().catch(() => {});
      await pool.end();
    },
  };

  /** A queue that cannot tell its database what it did gives up. What is due still stands in our rows: start another. */
  async function supervise(): Promise<void> {
    for (;;) {
      await runner.promise.catch((error: Error) => server.log.warn(`the worker gave up: ${error.message}`));
      if (isStopping) return;
      await delay(pauseMs);
      try {
        runner = await run(optionsOf(server, pool));
      } catch (error) {
        server.log.warn(`the worker cannot start again yet: ${(error as Error).message}`);
      }
      // Asked during the pause: who asked stops the new one, which nobody else would.
      if (isStopping) return;
    }
  }
}

const optionsOf = (server: ServerContext, pgPool: pg.Pool): RunnerOptions => ({
  pgPool,
  concurrency,
  noHandleSignals: true,
  pollInterval: 2_000,
  // In batches even without a delay, because a batch is tried again: a single one that fails would end the process.
  preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  crontab: "* * * * * sweep",
  // A mail server that hangs takes a few slots, and deliveries have the rest.
  forbiddenFlags: () => (server.mailer?.isBusy ? ["mail"] : null),
  logger: new WorkerLogger(() => (level, message) => {
    if (level === "error") server.log.warn(`worker: ${message}`);
  }),
  taskList: {
    fan_out: (payload) => fanOut(server.sql, payload as { day: string; eventId: string }),
    drain: (payload) => drain(server, payload as { webhookId: string }),
    purge_webhook: (payload) => purgeWebhook(server.sql, payload as { webhookId: string }),
    // Without a mail server they wait for a worker that has one.
    ...(server.mailer && {
      mail: (payload) => mail(server, payload as { noticeId: string; userId: string }),
    }),
    sweep: async () => {
      await sweep(server.sql);
      await timeOutRuns(server);
      await pruneRuns(server);
      await sweepNotifications(server.sql);
    },
  },
});
