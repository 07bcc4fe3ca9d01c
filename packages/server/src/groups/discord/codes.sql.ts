import { limitTo } from "../../database/columns.ts";
import { one } from "../../database/rows.ts";
import type { Sql } from "../../database/sql.ts";
import type { Command } from "./interaction.ts";

/** Whether a request that was signed at a time, in seconds, is at most five minutes from now. */
export async function isRecent(sql: Sql, seconds: number): Promise<boolean> {
  const { isRecent } = await one(sql<{ isRecent: boolean }[]>`
    select abs(extract(epoch from clock()) - ${seconds}::float8) <= 300 as "isRecent"`);
  return isRecent;
}

/**
 * Keeps the code of somebody in Discord in place of the one before. False if this command, or a later one, has made one already: a request
 * that is sent again gives nobody a second code, since the row outlives its signature.
 */
export async function offerCode(
  sql: Sql,
  { interactionId, by, hash }: { interactionId: string; by: Command["by"]; hash: Buffer },
): Promise<boolean> {
  const { count } = await sql`
    insert into discord_codes (discord_id, username, interaction_id, code_hash, expires_at)
    values (${by.id}, ${by.username}, ${interactionId}::numeric, ${hash}, clock() + interval '10 minutes')
    on conflict (discord_id) do update set username = excluded.username, interaction_id = excluded.interaction_id,
      code_hash = excluded.code_hash, expires_at = excluded.expires_at, used_by_id = null
    where discord_codes.interaction_id < excluded.interaction_id`;
  return count > 0;
}

/** A code, and the account that sends it. */
export interface Trying {
  userId: string;
  hash: Buffer;
}

/** Uses a code, and gives the account at Discord that it is of; null if it is none that works. */
export async function useCode(sql: Sql, { userId, hash }: Trying): Promise<Command["by"] | null> {
  const [row] = await sql<Command["by"][]>`
    update discord_codes set used_by_id = ${userId}
    where code_hash = ${hash} and expires_at > clock() and used_by_id is null
    returning discord_id as id, username`;
  return row ?? null;
}

/** Whether a code made the present link of the account that sends it: then the request is a repetition. */
export async function wasUsed(sql: Sql, { userId, hash }: Trying): Promise<boolean> {
  const { count } = await sql`
    select from discord_codes c join discord_links l using (discord_id)
    where c.code_hash = ${hash} and l.user_id = ${userId} and c.expires_at > clock()`;
  return count > 0;
}

/** Far more than are made in a minute. */
const some = limitTo(500);

/** Runs every minute: deletes codes that have expired. */
export const sweepCodes = (sql: Sql) => sql`
  delete from discord_codes where ctid = any (array(
    select ctid from discord_codes where expires_at <= clock() order by expires_at ${some(sql)}))`;
