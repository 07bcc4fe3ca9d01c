import { one } from "../../database/rows.ts";
import type { DiscordLink, JsonText } from "@promptreg/core";
import { object, piece } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import type { Trying } from "./codes.sql.ts";
import type { Command } from "./interaction.ts";

const link = object<DiscordLink>({
  userId: "l.discord_id",
  username: "l.username",
  linkedAt: "iso(l.linked_at)",
});

/** The link of an account, or null. `userId` is SQL. */
export const linkedDiscord = (userId: string) =>
  piece`(select ${link} from discord_links l where l.user_id = ${userId})`;

export async function selectLink(sql: Sql, userId: string): Promise<JsonText<DiscordLink>> {
  const { json } = await one(sql<{ json: JsonText<DiscordLink> }[]>`
    select (${link(sql)})::text as json from discord_links l where l.user_id = ${userId}`);
  return json;
}

/**
 * Locks the account that sends a code and the one that is linked now, in the order of their ids: what others do with either waits. Nobody
 * else is linked before the code is used, since that takes the code, or needs the next one, which replaces it.
 */
export async function lockAccounts(sql: Sql, { userId, hash }: Trying): Promise<void> {
  await sql`
    select from users where id = ${userId}
      or id = (select l.user_id from discord_links l join discord_codes c on c.discord_id = l.discord_id where c.code_hash = ${hash})
    order by id for no key update`;
}

/** Links an account, in place of its former link and of that of another account. Gives the id of that one, or null. Both are locked. */
export async function writeLink(sql: Sql, userId: string, by: Command["by"]): Promise<string | null> {
  const [former] = await sql<{ userId: string }[]>`
    delete from discord_links where discord_id = ${by.id} and user_id <> ${userId} returning user_id as "userId"`;
  await sql`
    insert into discord_links (user_id, discord_id, username) values (${userId}, ${by.id}, ${by.username})
    on conflict (user_id) do update set discord_id = excluded.discord_id, username = excluded.username,
      linked_at = excluded.linked_at`;
  await sql`update users set revision = revision + 1 where id in (${userId}, ${former?.userId ?? userId})`;
  return former?.userId ?? null;
}

/** Deletes the link of an account, which is locked. Gives the account at Discord; null if there was none. */
export async function deleteLink(sql: Sql, userId: string): Promise<string | null> {
  const [row] = await sql<{ discordId: string }[]>`
    delete from discord_links where user_id = ${userId} returning discord_id as "discordId"`;
  if (row) await sql`update users set revision = revision + 1 where id = ${userId}`;
  return row?.discordId ?? null;
}
