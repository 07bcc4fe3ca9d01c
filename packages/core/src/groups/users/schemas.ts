import * as z from "zod";
import { handle, id, timestamp } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { DiscordLink } from "../discord/schemas.ts";
import type { Scope as ScopeName } from "../../operations/scope.ts";

/** An account as it appears next to what it did. */
export interface UserRef {
  id: string;
  handle: string;
  name: string | null;
  avatarUrl: string | null;
  url: string;
}
export const UserRef: Schema<UserRef> = z
  .strictObject({
    id: id("usr"),
    handle,
    name: z.string().nullable(),
    avatarUrl: z.string().nullable(),
    url: z.string(),
  })
  .meta({ id: "UserRef" });

/** The role of an account. A token has the role only if the operator created the token with it. */
export type AccountRole = "user" | "moderator" | "admin";
export const AccountRole: Schema<AccountRole> = z.enum(["user", "moderator", "admin"]);
export type Scope = ScopeName;
export const Scope: Schema<ScopeName> = z.enum(["read", "write", "evals:write"]);

/** The public profile of an account. */
export interface User {
  id: string;
  handle: string;
  name: string | null;
  bio: string | null;
  website: string | null;
  avatarUrl: string | null;
  url: string;
  roles: AccountRole[];
  /** Public things this account made. */
  counts: { prompts: number; makes: number; posts: number; stars: number };
  createdAt: string;
}
const user = {
  id: id("usr"),
  handle,
  name: z.string().nullable(),
  bio: z.string().nullable(),
  website: z.string().nullable(),
  avatarUrl: z.string().nullable(),
  url: z.string(),
  roles: z.array(AccountRole),
  counts: z.strictObject({ prompts: z.int(), makes: z.int(), posts: z.int(), stars: z.int() }),
  createdAt: timestamp,
};
export const User: Schema<User> = z.strictObject(user).meta({ id: "User" });

/** What an account wants to see and to receive. */
export interface Preferences {
  /** Lists show prompts that are rated mature. */
  showMature: boolean;
  /** Once a day a mail names the notifications that were not read, without those of `emailTypes`. None is sent if there are none. */
  emailDigest: boolean;
  /** The types of notifications that come by mail as well. */
  emailTypes: string[];
}

/** How much of a limit is used. */
export interface Quota {
  used: number;
  limit: number;
}
const Quota: Schema<Quota> = z.strictObject({ used: z.int(), limit: z.int() }).meta({ id: "Quota" });

/** What a token may do of what its account may. */
export interface TokenRestriction {
  /** Slugs of the account's prompts. One that ends in `*` stands for all that begin so. */
  prompts: string[];
  /** The labels that it moves and deletes. Null: all. */
  labels: string[] | null;
  /** Whether it adds prompts and versions. */
  creates: boolean;
}
export const TokenRestriction: Schema<TokenRestriction> = z
  .strictObject({
    prompts: z.array(z.string()),
    labels: z.array(z.string()).nullable(),
    creates: z.boolean(),
  })
  .meta({ id: "TokenRestriction" });

/** The account behind a token, and what the token may do. */
export interface Me extends User {
  email: string | null;
  preferences: Preferences;
  discord: DiscordLink | null;
  /** `role` is the role of the token, as long as the account still has that role. */
  token: {
    id: string;
    name: string;
    scopes: ScopeName[];
    role: AccountRole;
    expiresAt: string | null;
    /** Null: it may do all that the account may. */
    restriction: TokenRestriction | null;
  };
  /** The optional features that are on at this server. */
  features: { suggestions: boolean; discord: boolean };
  /** How many there are, and the limit. `bytes` are what the files of versions and drafts take, and media. */
  quotas: { prompts: Quota; makes: Quota; posts: Quota; webhooks: Quota; bytes: Quota };
}
export const Me: Schema<Me> = z
  .strictObject({
    ...user,
    email: z.string().nullable(),
    preferences: z.strictObject({
      showMature: z.boolean(),
      emailDigest: z.boolean(),
      emailTypes: z.array(z.string()),
    }),
    discord: DiscordLink.nullable(),
    token: z.strictObject({
      id: id("tok"),
      name: z.string(),
      scopes: z.array(Scope),
      role: AccountRole,
      expiresAt: z.nullable(timestamp),
      restriction: TokenRestriction.nullable(),
    }),
    features: z.strictObject({ suggestions: z.boolean(), discord: z.boolean() }),
    quotas: z.strictObject({ prompts: Quota, makes: Quota, posts: Quota, webhooks: Quota, bytes: Quota }),
  })
  .meta({ id: "Me" });
