import type { JsonText, Me } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";

/** A person as others see them, from `users` under the given name in the statement; null where nobody matches. */
export const userRef = (sql: Sql, publicUrl: string, id: Fragment): Fragment => sql`
  (select row_to_json(person) from (
    select u.id, u.handle, u.name, null as "avatarUrl", ${publicUrl} || '/' || u.handle as url
    from users u where u.id = ${id}
  ) person)`;

/** Holds an account until the transaction ends, so that two creations at once are counted one after the other. */
export const lockAccount = (sql: Sql, id: string) =>
  sql`select from users where id = ${id} for no key update`;

/** The account behind a token; `limits` are the most there may be of each thing counted. */
export async function selectMe(
  sql: Sql,
  {
    tokenId,
    publicUrl,
    limits,
  }: { tokenId: string; publicUrl: string; limits: { prompts: number; webhooks: number } },
): Promise<JsonText<Me>> {
  const [row] = await sql<{ me: JsonText<Me> }[]>`
    select row_to_json(me)::text as me from (
      select u.id, u.handle, u.name, u.bio, u.website, null as "avatarUrl", ${publicUrl} || '/' || u.handle as url,
        array['user'] || case u.role when 'admin' then array['moderator', 'admin']
          when 'moderator' then array['moderator'] else array[]::text[] end as roles,
        iso(u.created_at) as "createdAt", u.email,
        json_build_object('prompts', made.public_prompts, 'makes', 0, 'posts', 0, 'stars', 0) as counts,
        u.preferences, null as discord,
        json_build_object('id', t.id, 'name', t.name, 'scopes', t.scopes, 'role', t.role,
          'expiresAt', iso(t.expires_at)) as token,
        json_build_object('suggestions', false, 'discord', false) as features,
        json_build_object(
          'prompts', json_build_object('used', made.prompts, 'limit', ${limits.prompts}::int),
          'webhooks', json_build_object('used', (
            select count(*) from webhooks w where w.user_id = u.id and w.deleted_at is null
          ), 'limit', ${limits.webhooks}::int)) as quotas
      from tokens t join users u on u.id = t.user_id,
        lateral (
          select count(*) as prompts, count(*) filter (where visibility = 'public' and status = 'published') as public_prompts
          from prompts p where p.owner_id = u.id and p.deleted_at is null
        ) made
      where t.id = ${tokenId}
    ) me`;
  if (row === undefined) throw new Error(`the token of this request is gone: ${tokenId}`);
  return row.me;
}
