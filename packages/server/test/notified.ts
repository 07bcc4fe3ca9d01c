import { insertNotifications } from "../src/groups/notifications/index.ts";
import type { Person, TestServer } from "./harness.ts";

/** The newest event there is. */
export async function newestEvent({ sql }: TestServer): Promise<{ day: string; eventId: string }> {
  const [event] = await sql<{ day: string; eventId: string }[]>`
    select day::text, id as "eventId" from events order by created_at desc, id desc limit 1`;
  if (event === undefined) throw new Error("nothing has happened");
  return event;
}

/** Writes the notifications of the newest event, as its fan-out does. */
export async function tell(server: TestServer, ...people: Person[]): Promise<void> {
  const event = await newestEvent(server);
  const userIds = people.map(({ id }) => id);
  await server.sql.begin((sql) => insertNotifications(sql, server.context, { ...event, userIds }));
}
