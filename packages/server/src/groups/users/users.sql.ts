import type { JsonText, Me, UpdateMe, User } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/caller.ts";

/** A person as others see them, from `users` under the given name in the statement; null where nobody matches. */
export const userRef = (sql: Sql, publicUrl: string, id: Fragment): Fragment => sql`
  (select row_to_json(person) from (
    select u.id, u.handle, u.name, null as "avatarUrl", ${publicUrl} || '/' || u.handle as url
    from users u where u.id = ${id}
  ) person)`;

/** Holds an account until the transaction ends, so that two creations at once are counted one after the other. */
export const lockAccount = (sql: Sql, id: string) =>
  sql`select from users where id = ${id} for no key update`;

/** What everybody sees of an account, as columns from `users u`. */
const userFields = (sql: Sql, publicUrl: string): Fragment => sql`
  u.id, u.handle, u.name, u.bio, u.website, null as "avatarUrl", ${publicUrl} || '/' || u.handle as url,
  array['user'] || case u.role when 'admin' then array['moderator', 'admin']
    when 'moderator' then array['moderator'] else array[]::text[] end as roles,
  json_build_object('prompts', (
      select count(*) from prompts p
      where p.owner_id = u.id and p.visibility = 'public' and p.status = 'published' and p.deleted_at is null
    ), 'makes', 0, 'posts', 0, 'stars', 0) as counts,
  iso(u.created_at) as "createdAt"`;

/** What is shown of an account and its revision does not tell, from `users u`. */
export const userState = (sql: Sql): Fragment => sql`u.role`;

export async function selectUser(
  sql: Sql,
  { userId, publicUrl }: { userId: string; publicUrl: string },
): Promise<JsonText<User>> {
  const [row] = await sql<{ json: JsonText<User> }[]>`
    select row_to_json(person)::text as json from (
      select ${userFields(sql, publicUrl)} from users u where u.id = ${userId}
    ) person`;
  if (row === undefined) throw new Error(`the account of this request is gone: ${userId}`);
  return row.json;
}

/** The account behind a token that acts in `role`, and its revision; `limits` are the most there may be of each thing counted. */
export async function selectMe(
  sql: Sql,
  {
    tokenId,
    role,
    publicUrl,
    limits,
  }: {
    tokenId: string;
    role: Caller["role"];
    publicUrl: string;
    limits: { prompts: number; webhooks: number };
  },
): Promise<{ revision: string; json: JsonText<Me> }> {
  const [row] = await sql<{ revision: string; json: JsonText<Me> }[]>`
    select u.revision::text, (select row_to_json(me)::text from (
      select ${userFields(sql, publicUrl)}, u.email, u.preferences, null as discord,
        json_build_object('id', t.id, 'name', t.name, 'scopes', t.scopes, 'role', ${role}::text,
          'expiresAt', iso(t.expires_at)) as token,
        json_build_object('suggestions', false, 'discord', false) as features,
        json_build_object(
          'prompts', json_build_object('used', (
            select count(*) from prompts p where p.owner_id = u.id and p.deleted_at is null
          ), 'limit', ${limits.prompts}::int),
          'webhooks', json_build_object('used', (
            select count(*) from webhooks w where w.user_id = u.id and w.deleted_at is null
          ), 'limit', ${limits.webhooks}::int)) as quotas
    ) me) as json
    from tokens t join users u on u.id = t.user_id where t.id = ${tokenId}`;
  if (row === undefined) throw new Error(`the token of this request is gone: ${tokenId}`);
  return row;
}

/** Writes what is given of a profile, and raises its revision where that changes anything. */
export function updateProfile(sql: Sql, id: string, { name, bio, website, preferences = {} }: UpdateMe) {
  const wished = sql`row(
    ${name === undefined ? sql`name` : sql`${name}::text`}, ${bio === undefined ? sql`bio` : sql`${bio}::text`},
    ${website === undefined ? sql`website` : sql`${website}::text`},
    preferences || ${sql.json(preferences)}::jsonb)`;
  return sql`
    update users set (name, bio, website, preferences) = ${wished}, revision = revision + 1
    where id = ${id} and row(name, bio, website, preferences) is distinct from ${wished}`;
}
