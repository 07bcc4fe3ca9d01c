/** Deliveries per second of one worker to fast receivers, against a bare loop that sends and records the same. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "postgres";
import type { LoopOptions } from "./floor-loop.ts";
import { plantBacklog, plantPrompt, plantWebhooks, otherEventName } from "./plant.ts";
import { median, print } from "./print.ts";
import { nowMs } from "./common.ts";
import type { Database, Receivers, Stage } from "./stage.ts";
import { sweep } from "../../src/groups/webhooks/sweep.sql.ts";
import { isShort } from "../../../../scripts/short.ts";

const rounds = isShort ? 1 : 3;

export interface RateOptions {
  /** In each round. */
  deliveries: number;
  /** Results that the floor records at a time; as many as ours on average unless given. */
  batch?: number | undefined;
}

export async function rate(stage: Stage, options: RateOptions): Promise<void> {
  const { receivers } = stage;
  const floor = await stage.openDatabase();
  const loop = await stage.startFloor("loop", floor);
  const ours = await stage.openDatabase();
  const worker = await stage.startWorker(ours);
  for (const webhooks of [1, 4, 20]) {
    const backlogs = [await backlogOf(floor, webhooks), await backlogOf(ours, webhooks)] as const;
    // A first round finds out how the worker goes about it, and gets both warm.
    const { inFlight, batch } = await observe(ours.sql, () => runOurs(backlogs[1]));
    const asked = { inFlight, batch: options.batch ?? batch };
    await runFloor(backlogs[0], asked);
    const rates = { floor: [] as number[], ours: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      rates.floor.push((await runFloor(backlogs[0], asked)).perSecond);
      rates.ours.push((await runOurs(backlogs[1])).perSecond);
    }
    print(`deliveries to ${webhooks} webhooks, ${asked.inFlight} in flight, ${asked.batch} a record`, {
      floor: median(rates.floor),
      ours: median(rates.ours),
      ratio: median(rates.ours.map((rate, round) => rate / rates.floor[round]!)),
      unit: "/s",
      limit: "0.70",
    });
  }
  loop.kill();
  await worker.stop();

  async function backlogOf({ sql }: Database, webhooks: number): Promise<Backlog> {
    const { ownerId } = await plantPrompt(sql, { handle: `rate-${webhooks}` });
    const url = `${receivers.origin}/fast`;
    const fields = { userIds: [ownerId], url, count: webhooks, event: otherEventName };
    return { sql, webhookIds: await plantWebhooks(sql, fields) };
  }

  async function runOurs({ sql, webhookIds }: Backlog): Promise<Round> {
    await plantBacklog(sql, webhookIds, options.deliveries / webhookIds.length);
    await sweep(sql);
    return untilRecorded(receivers, sql);
  }

  async function runFloor({ sql, webhookIds }: Backlog, asked: LoopOptions): Promise<Round> {
    await plantBacklog(sql, webhookIds, options.deliveries / webhookIds.length);
    await tell(loop, asked);
    const [round] = await Promise.all([untilRecorded(receivers, sql), tell(loop, "go")]);
    return round;
  }
}

interface Backlog {
  sql: Sql;
  webhookIds: string[];
}

async function tell(loop: ChildProcess, message: LoopOptions | "go"): Promise<void> {
  loop.send(message);
  await once(loop, "message");
}

interface Round {
  /** From the first byte that arrives to the last result that is recorded. */
  perSecond: number;
  /** That were open at once. */
  connections: number;
}

async function untilRecorded(receivers: Receivers, sql: Sql): Promise<Round> {
  do await delay(20);
  while ((await sql`select from deliveries where status = 'pending' limit 1`).count > 0);
  const untilMs = nowMs();
  const { requests, firstAtMs, connections } = await receivers.report();
  return { perSecond: (requests * 1000) / (untilMs - firstAtMs), connections };
}

/** How many requests a worker has under way at most, and how many results one of its statements records on average. */
async function observe(sql: Sql, work: () => Promise<Round>): Promise<LoopOptions> {
  await sql.unsafe(`
    create table bench_records (results int);
    create function bench_record() returns trigger language plpgsql as $$ begin
      insert into bench_records select count(*) from changed where status = 'succeeded' having count(*) > 0;
      return null;
    end $$;
    create trigger bench_record after update on deliveries referencing new table as changed
      for each statement execute function bench_record()`);
  const { connections } = await work();
  const [row] = await sql<{ batch: number }[]>`select round(avg(results))::int as batch from bench_records`;
  await sql.unsafe("drop function bench_record cascade; drop table bench_records");
  return { inFlight: connections, batch: row!.batch };
}
