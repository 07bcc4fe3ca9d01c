/** A process with a bare graphile-worker, whose only task sends one signed request. */
import { Logger, run } from "graphile-worker";
import pg from "pg";
import { parseDatabaseUrl, pgOptions } from "../../src/database/connection.ts";
import { surviveBrokenConnections } from "../../src/database/pool.ts";
import { type Signed, sendSigned } from "./signed.ts";

const pgPool = new pg.Pool(pgOptions(parseDatabaseUrl(process.env["BENCH_DATABASE"] ?? "")));
surviveBrokenConnections(pgPool, () => {});
await run({
  pgPool,
  concurrency: 24,
  noHandleSignals: true,
  pollInterval: 2_000,
  logger: new Logger(() => () => {}),
  preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  taskList: {
    async send(payload) {
      const { body, ...rest } = payload as Omit<Signed, "body"> & { body: string };
      await sendSigned({ ...rest, body: Buffer.from(body) });
    },
  },
});
process.send?.("ready");
