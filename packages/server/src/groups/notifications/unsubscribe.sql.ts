import type { Sql } from "../../database/sql.ts";
import type { Subscription } from "./token.ts";

/** The account of a subscription, and whether it still gets this mail; null if the link has expired. */
export async function selectSubscription(
  sql: Sql,
  { user, list, exp }: Subscription,
): Promise<{ handle: string; isOn: boolean } | null> {
  const [row] = await sql<{ handle: string; isOn: boolean }[]>`
    select handle, preferences -> 'emailTypes' ? ${list} as "isOn" from users
    where id = ${user} and to_timestamp(${exp}) > clock()`;
  return row ?? null;
}

/** Removes a type of mail from an account's preferences. Repeating it changes nothing. */
export const endSubscription = (sql: Sql, { user, list }: Subscription) => sql`
  update users set revision = revision + 1,
    preferences = jsonb_set(preferences, '{emailTypes}', (preferences -> 'emailTypes') - ${list}::text)
  where id = ${user} and preferences -> 'emailTypes' ? ${list}`;
