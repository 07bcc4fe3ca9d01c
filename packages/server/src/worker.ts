import { run, type Runner, Logger as WorkerLogger } from "graphile-worker";
import pg from "pg";
import { type DatabaseAddress, pgOptions } from "./database/connection.ts";
import { surviveBrokenConnections } from "./database/pool.ts";
import { timeOutRuns } from "./groups/evals/index.ts";
import { drain } from "./groups/webhooks/drain.ts";
import { fanOut } from "./groups/webhooks/fan-out.ts";
import { sweep } from "./groups/webhooks/sweep.ts";
import type { ServerContext } from "./kernel/server-context.ts";

/** Tasks at once in one process; they wait on other people's servers more than they work. */
const concurrency = 24;

/** Runs the background jobs until it is stopped; stopping waits for the jobs under way. */
export async function startWorker(
  server: ServerContext,
  address: DatabaseAddress,
): Promise<{ stop(): Promise<void> }> {
  const pool = new pg.Pool(pgOptions(address));
  surviveBrokenConnections(pool, ({ message }) =>
    server.log.warn(`a connection of the worker broke: ${message}`),
  );
  const runner: Runner = await run({
    pgPool: pool,
    concurrency,
    noHandleSignals: true,
    pollInterval: 2_000,
    crontab: "* * * * * sweep",
    logger: new WorkerLogger(() => (level, message) => {
      if (level === "error") server.log.warn(`worker: ${message}`);
    }),
    taskList: {
      fan_out: (payload) => fanOut(server.sql, payload as { day: string; eventId: string }),
      drain: (payload) => drain(server, payload as { webhookId: string }),
      sweep: async () => {
        await sweep(server.sql);
        await timeOutRuns(server);
      },
    },
  });
  return {
    async stop() {
      await runner.stop().catch(() => {});
      await pool.end();
    },
  };
}
