import { one } from "../../database/rows.ts";
import type { JsonText, Me, UpdateMe, User } from "@promptreg/core";
import { columns, type Fields, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { accountRef, type Site } from "../../kernel/accounts/accounts.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { countOf } from "../../kernel/changes/counters.ts";
import { linkedDiscord } from "../discord/index.ts";
import { isMakeListed } from "../makes/index.ts";
import { isPostListed } from "../posts/index.ts";
import { isListed } from "../prompts/index.ts";

/** The prompts of `users u`, read by their owner alone: no statistics let any other index look cheaper. */
const ownPrompts = "(select * from prompts where owner_id = u.id offset 0)";

/** The same of makes and posts. */
const ownMakes = "(select * from makes where owner_id = u.id and deleted_at is null offset 0)";
const ownPosts = "(select * from posts where owner_id = u.id and deleted_at is null offset 0)";

/** What everybody sees of an account, from `users u`. */
const user: Fields<User, Site> = {
  ...accountRef,
  bio: "u.bio",
  website: "u.website",
  roles: `array['user'] || case u.role when 'admin' then array['moderator', 'admin']
    when 'moderator' then array['moderator'] else array[]::text[] end`,
  counts: {
    prompts: piece`(select count(*) from ${ownPrompts} p where ${isListed})`,
    makes: piece`(select count(*) from ${ownMakes} k where ${isMakeListed})`,
    posts: piece`(select count(*) from ${ownPosts} b where ${isPostListed})`,
    stars: piece`(
      (select coalesce(sum(${countOf("p.id", "stars")}), 0) from ${ownPrompts} p where ${isListed})
      + (select coalesce(sum(${countOf("k.id", "stars")}), 0) from ${ownMakes} k where ${isMakeListed}))`,
  },
  createdAt: "iso(u.created_at)",
};
const userColumns = columns<User, Site>(user);

/** What is shown of an account and its revision does not tell, from `users u`. */
export const userState = (sql: Sql): Fragment => sql`u.role`;

export async function selectUser(
  sql: Sql,
  { userId, publicUrl }: { userId: string } & Site,
): Promise<JsonText<User>> {
  const { json } = await one(sql<{ json: JsonText<User> }[]>`
    select row_to_json(person)::text as json from (
      select ${userColumns(sql, { publicUrl })} from users u where u.id = ${userId}
    ) person`);
  return json;
}

/** What an account is shown of itself that its row does not hold. */
interface Self extends Site {
  /** The role in which its token acts. */
  role: Caller["role"];
  /** What the server is set up for. */
  features: { suggestions: boolean; discord: boolean };
  /** How many there may be of each. */
  limits: { prompts: number; makes: number; posts: number; webhooks: number; bytes: number };
}

/** The columns of an account as it sees itself, from `users u` joined with `tokens t`. */
const meColumns = columns<Me, Self>({
  ...user,
  email: "u.email",
  preferences: "u.preferences",
  discord: linkedDiscord("u.id"),
  token: {
    id: "t.id",
    name: "t.name",
    scopes: "t.scopes",
    role: piece<Self>`${(_, { role }) => role}::text`,
    expiresAt: "iso(t.expires_at)",
    restriction: "t.restriction",
  },
  features: {
    suggestions: piece<Self>`${(_, { features }) => features.suggestions}::boolean`,
    discord: piece<Self>`${(_, { features }) => features.discord}::boolean`,
  },
  quotas: {
    prompts: {
      used: piece`(select count(*) from ${ownPrompts} p where p.deleted_at is null)`,
      limit: piece<Self>`${(_, { limits }) => limits.prompts}::int`,
    },
    makes: {
      used: piece`(select count(*) from ${ownMakes} k)`,
      limit: piece<Self>`${(_, { limits }) => limits.makes}::int`,
    },
    posts: {
      used: piece`(select count(*) from ${ownPosts} b)`,
      limit: piece<Self>`${(_, { limits }) => limits.posts}::int`,
    },
    webhooks: {
      used: "(select count(*) from webhooks w where w.user_id = u.id and w.deleted_at is null)",
      limit: piece<Self>`${(_, { limits }) => limits.webhooks}::int`,
    },
    bytes: {
      used: countOf("u.id", "bytes"),
      limit: piece<Self>`coalesce(u.max_bytes, ${(_, { limits }) => limits.bytes}::bigint)`,
    },
  },
});

/** The account behind a token, and its revision. */
export async function selectMe(
  sql: Sql,
  { tokenId, ...self }: { tokenId: string } & Self,
): Promise<{ revision: string; json: JsonText<Me> }> {
  return one(sql<{ revision: string; json: JsonText<Me> }[]>`
    select u.revision::text, (select row_to_json(me)::text from (select ${meColumns(sql, self)}) me) as json
    from tokens t join users u on u.id = t.user_id where t.id = ${tokenId}`);
}

/** Writes the given fields of a profile, and raises its revision if that changes anything. */
export function updateProfile(
  sql: Sql,
  id: string,
  { name, bio, website, avatarMediaId, preferences = {} }: UpdateMe,
) {
  const wished = sql`row(
    ${name === undefined ? sql`name` : sql`${name}::text`}, ${bio === undefined ? sql`bio` : sql`${bio}::text`},
    ${website === undefined ? sql`website` : sql`${website}::text`},
    ${avatarMediaId === undefined ? sql`avatar_media_id` : sql`${avatarMediaId}::text`},
    preferences || ${sql.json(preferences)}::jsonb)`;
  return sql`
    update users set (name, bio, website, avatar_media_id, preferences) = ${wished}, revision = revision + 1
    where id = ${id} and row(name, bio, website, avatar_media_id, preferences) is distinct from ${wished}`;
}
