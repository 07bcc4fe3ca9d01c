import type { Fragment, Sql } from "../../database/sql.ts";
import type { Subscription } from "./token.ts";

/** The account of a subscription, and whether it still gets this mail; null if the link has expired. */
export async function selectSubscription(
  sql: Sql,
  { user, list, exp }: Subscription,
): Promise<{ handle: string; isOn: boolean } | null> {
  const [row] = await sql<{ handle: string; isOn: boolean }[]>`
    select handle, ${isOn(sql, list)} as "isOn" from users
    where id = ${user} and to_timestamp(${exp}) > clock()`;
  return row ?? null;
}

/** Removes a type of mail, or the digest, from an account's preferences. Repeating it changes nothing. */
export const endSubscription = (sql: Sql, { user, list }: Subscription) => sql`
  update users set revision = revision + 1, preferences = ${
    list === "digest"
      ? sql`jsonb_set(preferences, '{emailDigest}', 'false')`
      : sql`jsonb_set(preferences, '{emailTypes}', (preferences -> 'emailTypes') - ${list}::text)`
  }
  where id = ${user} and ${isOn(sql, list)}`;

const isOn = (sql: Sql, list: Subscription["list"]): Fragment =>
  list === "digest"
    ? sql`preferences ->> 'emailDigest' = 'true'`
    : sql`preferences -> 'emailTypes' ? ${list}`;
