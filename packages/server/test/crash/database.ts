import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "postgres";
import { parseDatabaseUrl } from "../../src/database/connection.ts";
import { startEmbedded } from "../../src/database/embedded.ts";
import { migrate } from "../../src/database/migrate.ts";
import { connectTo, isAlive, newDataDir, postmasterOf } from "../process.ts";
import { until } from "./until.ts";
import { sweep } from "../../src/groups/webhooks/sweep.sql.ts";

/** How PostgreSQL is taken away: it ends by itself with a checkpoint, or has to recover from its log. */
export type Manner = "shut down" | "killed";

/** A PostgreSQL of the proof's own, which may be away for a while, and whose clock can be put forward. */
export interface ProofDatabase {
  url: string;
  /** How it was taken away so far. */
  restarts: Manner[];
  isAway: () => boolean;
  /** Asks it something; what fails because it is being restarted is asked again, so it may be done twice. */
  ask: <T>(act: (sql: Sql) => PromiseLike<T>) => Promise<T>;
  restart: (manner: Manner) => Promise<void>;
  /**
   * Lets time pass: the clock goes forward, jobs fall due and become older by as much, and what comes every so
   * often comes.
   */
  pass: (seconds: number) => Promise<void>;
  stop: () => Promise<void>;
}

/** Starts it with the tables of this release. It writes to disk as it does in production: fsync stays on. */
export async function startDatabase(): Promise<ProofDatabase> {
  const dataDir = newDataDir();
  let embedded = await startEmbedded(dataDir);
  const { url } = embedded;
  const address = parseDatabaseUrl(url);
  await migrate(address);
  const sql = connectTo(dataDir);
  await makeTurnable(sql);
  let isAway = false;
  const restarts: Manner[] = [];
  return { url, restarts, isAway: () => isAway, ask, restart, pass, stop };

  async function ask<T>(act: (sql: Sql) => PromiseLike<T>): Promise<T> {
    for (;;) {
      const before = restarts.length;
      try {
        return await act(sql);
      } catch (error) {
        if (restarts.length === before && !isAway) throw error;
        await delay(50);
      }
    }
  }

  async function restart(manner: Manner): Promise<void> {
    isAway = true;
    restarts.push(manner);
    const pid = postmasterOf(dataDir)?.pid ?? 0;
    if (manner === "killed") process.kill(pid, "SIGKILL");
    else await embedded.stop();
    await until("the end of PostgreSQL", () => !isAlive(pid));
    embedded = await startEmbedded(dataDir, { port: address.port });
    // The pool's connections are found out to be broken when they are used.
    await sql`select`.catch(() => {});
    isAway = false;
  }

  async function pass(seconds: number): Promise<void> {
    await ask((sql) => sql`update turned set ahead = ahead + make_interval(secs => ${seconds})`);
    // Waits for no row: workers that hold several would get into each other's way because of us.
    await ask(
      (sql) => sql`
        update graphile_worker._private_jobs set run_at = run_at - make_interval(secs => ${seconds}),
          locked_at = locked_at - make_interval(secs => ${seconds})
        where id in (select id from graphile_worker._private_jobs for update skip locked)`,
    );
    await ask(sweep);
    await ask(
      (sql) => sql`select graphile_worker.add_job('housekeeping', job_key := 'housekeeping of the proof')`,
    );
  }

  async function stop(): Promise<void> {
    await sql.end({ timeout: 5 });
    await embedded.stop();
  }
}

/** Has clock() run ahead of the time by what one row says: it goes on, and can be put forward while all are at work. */
async function makeTurnable(sql: Sql): Promise<void> {
  await sql`create table turned (ahead interval not null)`;
  await sql`insert into turned values ('0')`;
  await sql.unsafe(`
    create or replace function clock() returns timestamptz language sql stable parallel safe
      return date_trunc('milliseconds', statement_timestamp() + (select ahead from promptreg.turned))`);
}
