import type { Sql } from "../src/database/sql.ts";
import { insertNotifications, type NewsOfEvent } from "../src/groups/notifications/index.ts";
import type { Drains } from "../src/groups/webhooks/drains.ts";
import { openFanOut } from "../src/groups/webhooks/fan-out.sql.ts";
import type { TestServer } from "./harness.ts";

/** The newest event there is. */
export async function newestEvent({ sql }: TestServer): Promise<{ day: string; eventId: string }> {
  const [event] = await sql<{ day: string; eventId: string }[]>`
    select day::text, id as "eventId" from events order by created_at desc, id desc limit 1`;
  if (event === undefined) throw new Error("nothing has happened");
  return event;
}

/** Writes the notifications of the newest event, as its fan-out does; in a transaction, if one is given. */
export async function tell(server: TestServer, ...people: { id: string }[]): Promise<void> {
  await server.sql.begin((sql) => tellIn(sql, server, ...people));
}

export async function tellIn(sql: Sql, server: TestServer, ...people: { id: string }[]): Promise<void> {
  const { eventId: id } = await newestEvent(server);
  const events = await sql<NewsOfEvent[]>`
    select id, name, prompt_id as "promptId", iso(created_at) as "createdAt",
      convert_from(body, 'UTF8')::json -> 'data' as data from events where id = ${id}`;
  const userIds = people.map((person) => person.id);
  await insertNotifications(
    sql,
    server.context,
    events.map((event) => ({ ...event, userIds })),
  );
}

/** Fans out all events that wait, as a worker does. */
export const fanOut = ({ context }: TestServer, wake: Drains["wake"] = async () => {}) =>
  openFanOut(context, wake)({ isComplete: true });
