/** Fan-out of a moved label, and of a comment, to many watchers, against bare inserts of as many rows. */
import type { EventName } from "@promptreg/core";
import type { Sql } from "postgres";
import { parseDatabaseUrl } from "../../src/database/connection.ts";
import { connectToWork } from "../../src/database/open.ts";
import { openFanOut } from "../../src/groups/webhooks/fan-out.sql.ts";
import { emit } from "../../src/kernel/changes/emit.ts";
import { type Write, writeEvent } from "./latency.ts";
import { eventName, plantPrompt, plantWebhooks } from "./plant.ts";
import { median, print } from "./print.ts";
import type { Stage } from "./stage.ts";
import { isShort } from "../../../../scripts/short.ts";

const rounds = isShort ? 1 : 7;
const chunk = 1_000;

interface Recipient {
  webhookId: string;
  userId: string;
}

interface Event {
  day: string;
  eventId: string;
  name: EventName;
}

export async function fanningOut(stage: Stage, { watchers }: { watchers: number }): Promise<void> {
  const database = await stage.openDatabase();
  const { sql } = database;
  const work = connectToWork(parseDatabaseUrl(database.url));
  const failures = {
    report(error: unknown) {
      throw error;
    },
    stop() {},
  };
  const fanOut = openFanOut({ sql: work, publicUrl: "", mailer: null, failures }, async () => {});
  const prompt = await plantPrompt(sql, { handle: "watched", visibility: "public" });
  const users = await sql<{ id: string }[]>`
    insert into users (handle) select 'watcher-' || nth from generate_series(1, ${watchers}::int) nth returning id`;
  const userIds = users.map(({ id }) => id);
  await sql`
    insert into watches (prompt_id, user_id, level) select ${prompt.id}, unnest(${userIds}::text[]), 'all'`;
  // Nobody works here, so nothing is sent.
  const url = `${stage.receivers.origin}/fast`;
  const comment = {
    id: "cmt_01jd0000000000000000000001",
    url: "http://127.0.0.1/comments",
    target: { type: "prompt" as const, id: `${prompt.ownerHandle}/${prompt.slug}` },
    parentId: null,
    excerpt: "I would try this first. ".repeat(11),
  };
  const telling = { publicUrl: "http://127.0.0.1", caller: null, bus: database.bus };
  const writes: [name: EventName, write: Write][] = [
    [eventName, writeEvent(prompt, database)],
    ["comment.created", (tx) => emit(tx, telling, "comment.created", { prompt }, { comment })],
  ];
  for (const [name, write] of writes) {
    await sql`truncate webhooks cascade`;
    await plantWebhooks(sql, { userIds, url, event: name });
    const recipients = await sql<Recipient[]>`
      select id as "webhookId", user_id as "userId" from webhooks order by user_id`;
    await sql`vacuum analyze users, watches, webhooks`;
    const rates = { floor: [] as number[], ours: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      for (const side of ["floor", "ours"] as const) {
        const event = await newEvent(sql, name, write);
        const startedAt = performance.now();
        await (side === "ours" ? fanOut({ isComplete: false }) : insertBare(sql, event, recipients));
        rates[side].push((watchers * 1000) / (performance.now() - startedAt));
        await check(sql, event, watchers);
      }
    }
    print(`${name} to ${watchers} watchers, each with a delivery and a notification`, {
      floor: median(rates.floor),
      ours: median(rates.ours),
      ratio: median(rates.ours.map((rate, round) => rate / rates.floor[round]!)),
      unit: "/s",
      limit: "0.50",
    });
  }
  await work.end();
}

/** An event that nobody else fans out. */
async function newEvent(sql: Sql, name: EventName, write: Write): Promise<Event> {
  await sql`update events set fanned_out_at = clock() where fanned_out_at is null`;
  await write(sql, 0);
  const [event] = await sql<Omit<Event, "name">[]>`
    select day::text, id as "eventId" from events order by day desc, id desc limit 1`;
  if (event === undefined) throw new Error("an event was not written");
  return { ...event, name };
}

/** The rows that are written for each watcher: a delivery, and a notification. */
async function insertBare(sql: Sql, { day, eventId, name }: Event, recipients: Recipient[]): Promise<void> {
  for (let from = 0; from < recipients.length; from += chunk) {
    const part = recipients.slice(from, from + chunk);
    await sql.begin((sql) =>
      Promise.all([
        sql`
        insert into deliveries (day, event_day, event_id, event, webhook_id, epoch, next_attempt_at)
        select ${day}, ${day}, ${eventId}, ${name}, unnest(${part.map(({ webhookId }) => webhookId)}::text[]), 0,
          clock()
        on conflict do nothing`,
        sql`
        insert into notifications (notice_id, user_id, id, type, prompt_id)
        select ${eventId}, user_id, new_id('ntf'), ${name}, ${eventId}
        from unnest(${part.map(({ userId }) => userId)}::text[]) user_id
        on conflict do nothing`,
      ]),
    );
  }
}

async function check(sql: Sql, { eventId }: Event, expected: number): Promise<void> {
  const { count } = await sql`select from deliveries where event_id = ${eventId}`;
  if (count !== expected) throw new Error(`${count} deliveries were written, not ${expected}`);
}
