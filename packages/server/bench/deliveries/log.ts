/** What reading a log of 30 days costs over HTTP when it is large, against one of which each page is as full. */
import type { ChildProcess } from "node:child_process";
import type { Sql } from "postgres";
import { parseDatabaseUrl } from "../../src/database/connection.ts";
import { makeToken } from "../../src/kernel/accounts/token.ts";
import { type SeedSize, small } from "../../test/seed/registry.ts";
import { seed } from "../../test/seed/seed.ts";
import { letIn, startSide } from "../side.ts";
import { median, print } from "./print.ts";
import type { Database, Stage } from "./stage.ts";
import { isShort } from "../../../../scripts/short.ts";

const rounds = isShort ? 1 : 40;
const warmUps = isShort ? 1 : 40;
const days = 30;
/** Enough for a page of everything that is asked for. */
const shortRows = 4_000;
const deepPages = 30;

export async function largeLog(stage: Stage, { rows }: { rows: number }): Promise<void> {
  const token = makeToken();
  const floor = await openLog(stage, { rows: shortRows, token });
  const ours = await openLog(stage, { rows, token });
  try {
    for (const name of Object.keys(floor.requests)) {
      const requests = { floor: floor.requests[name]!, ours: ours.requests[name]! };
      print(`log of ${rows.toLocaleString("en")}: ${name}`, {
        ...(await timesOf(requests)),
        unit: "ms",
        against: "short",
      });
    }
    print(`a day of them dropped (limit 1 s)`, {
      floor: await dropDay(floor.sql),
      ours: await dropDay(ours.sql),
      unit: "ms",
      against: "short",
    });
  } finally {
    for (const { child } of [floor, ours]) child.kill("SIGKILL");
  }
}

interface Log {
  sql: Sql;
  child: ChildProcess;
  requests: Record<string, () => Promise<Page>>;
}

interface Page {
  items?: object[];
  nextCursor?: string | null;
}

async function openLog(stage: Stage, { rows, token }: { rows: number; token: string }): Promise<Log> {
  const database = await stage.openDatabase(`bench_log_${rows}`);
  const { sql } = database;
  const [known] = await sql`select from deliveries limit 1`;
  if (!known) await fill(database, rows);
  await letIn(sql, token);
  const { child, port } = await startSide("ours", { url: database.url, token });
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/webhooks/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const page = (await response.json()) as Page;
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
    return page;
  };
  return { sql, child, requests: await requestsOf(sql, get) };
}

/** The product's seed, with little else than its log; and a page of what is still pending. */
async function fill({ url, sql }: Database, rows: number): Promise<void> {
  const deliveries = Math.round((rows * 6) / 7);
  const one = {
    prompts: 50,
    watches: 50,
    versions: 10,
    labels: 5,
    moves: 10,
    runs: 1,
    results: 10,
    notifications: 10,
  };
  const size: SeedSize = { ...small, prompts: 200, one: { ...one, deliveries }, days };
  const startedAt = performance.now();
  await seed(parseDatabaseUrl(url), size);
  await sql`
    insert into deliveries (day, event_day, event_id, event, webhook_id, epoch, next_attempt_at)
    select e.day, e.day, e.id, e.name, w.id, 0, clock() + interval '1 day'
    from webhooks w, (select * from events order by day desc limit 40) e where w.url = 'https://receiver.example/1'
    on conflict do nothing`;
  const connection = await sql.reserve();
  await connection`set statement_timeout = 0`;
  await connection`vacuum analyze deliveries, events`;
  await connection`reset statement_timeout`;
  connection.release();
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`seeded a log of ${rows.toLocaleString("en")} deliveries in ${seconds} s`);
}

/** What is asked of the first webhook of `bench`, which has most of the log, by what it is called here. */
async function requestsOf(sql: Sql, get: (path: string) => Promise<Page>): Promise<Log["requests"]> {
  const [ids] = await sql<Record<"webhook" | "other" | "newest" | "middle" | "oldest", string>[]>`
    select w.id as webhook, (select id from webhooks where url = 'https://receiver.example/1') as other,
      (select id from deliveries where webhook_id = w.id order by id desc offset 10 limit 1) as newest,
      (select min(id) from deliveries where webhook_id = w.id and day = clock()::date - ${days / 2}::int) as middle,
      (select min(id) from deliveries where webhook_id = w.id) as oldest
    from webhooks w where w.url = 'https://receiver.example/0'`;
  const { webhook, other, newest, middle, oldest } = ids!;
  const log = `${webhook}/deliveries`;
  let deep = "";
  for (let page = 0; page < deepPages; page++) {
    const { nextCursor } = await get(`${log}?limit=100${deep && `&cursor=${deep}`}`);
    deep = nextCursor!;
  }
  const paths = {
    "page one": log,
    "after 3,000": `${log}?cursor=${deep}`,
    "the oldest": `${log}?order=asc`,
    succeeded: `${log}?status=succeeded`,
    failed: `${log}?status=failed`,
    "of one event": `${log}?event=prompt.label.moved`,
    pending: `${other}/deliveries?status=pending`,
    "after one of the newest": `${log}?after=${newest}`,
    "after one of 15 days ago": `${log}?after=${middle}`,
    "page one with payloads": `${log}?include=payload`,
    "a new one": `${log}/${newest}`,
    "an old one": `${log}/${oldest}`,
  };
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, () => get(path)]));
}

async function timesOf(requests: Record<"floor" | "ours", () => Promise<Page>>) {
  const times = { floor: [] as number[], ours: [] as number[] };
  for (let round = -warmUps; round < rounds; round++) {
    for (const side of ["floor", "ours"] as const) {
      const startedAt = performance.now();
      await requests[side]();
      if (round >= 0) times[side].push(performance.now() - startedAt);
    }
  }
  return { floor: median(times.floor), ours: median(times.ours) };
}

/** Takes the oldest day off the log, as the product does once it is old enough, and gives the milliseconds. */
async function dropDay(sql: Sql): Promise<number> {
  const [oldest] = await sql<{ age: number }[]>`
    select clock()::date - min(to_date(right(relname, 8), 'YYYYMMDD')) as age
    from pg_inherits join pg_class on oid = inhrelid
    where inhparent = 'deliveries'::regclass and relname <> 'deliveries_other'`;
  const startedAt = performance.now();
  const [answer] = await sql<{ dropped: boolean }[]>`
    select drop_partition('deliveries', ${oldest!.age - 1}::int) as dropped`;
  if (!answer?.dropped) throw new Error("somebody was in the way of dropping a day");
  return performance.now() - startedAt;
}
