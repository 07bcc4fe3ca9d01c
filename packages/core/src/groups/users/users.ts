import * as z from "zod";
import { handle, id, line, prose, webUrl } from "../../language/fields.ts";
import { type NotificationType, notificationTypes } from "../../catalogue/notifications.ts";
import { json, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { Me, type Preferences, User } from "./schemas.ts";

/** Changes to a profile. Absent fields stay as they are; null clears a field. */
export interface UpdateMe {
  name?: string | null;
  bio?: string | null;
  /** http or https. */
  website?: string | null;
  /** A picture of yours that is ready; null for none. */
  avatarMediaId?: string | null;
  preferences?: Partial<Preferences> & { emailTypes?: NotificationType[] };
}
export const UpdateMe: Schema<UpdateMe> = z
  .strictObject({
    name: line({ min: 1, max: 100 }).nullish(),
    bio: prose({ max: 500 }).nullish(),
    website: webUrl.nullish(),
    avatarMediaId: id("med").nullish(),
    preferences: z
      .strictObject({
        showMature: z.boolean().optional(),
        emailDigest: z.boolean().optional(),
        emailTypes: z
          .array(z.enum(notificationTypes))
          .max(notificationTypes.length)
          .refine((types) => new Set(types).size === types.length, { error: "names a type twice" })
          .optional(),
      })
      .optional(),
  })
  .meta({ id: "UpdateMe" });

/** An account's address. */
export interface UserPath {
  handle: string;
}
const UserPath: Schema<UserPath> = z.strictObject({ handle });

export const users = {
  /** Gets the public profile of an account. */
  get: op({
    route: "GET /users/{handle}",
    access: { auth: "optional", scope: "read", on: { user: "viewers" } },
    params: UserPath,
    results: { 200: json(User) },
  }),
  me: {
    /**
     * Gets the account behind the token, with what the token may do. Any valid token works, so that CI can check its
     * own.
     */
    get: op({
      route: "GET /me",
      access: { auth: "required", scope: "none", restricted: {} },
      results: { 200: json(Me) },
    }),
    /** Updates the profile and the preferences of the account behind the token. */
    update: op({
      route: "PATCH /me",
      access: { auth: "required", scope: "write" },
      body: json(UpdateMe),
      results: { 200: json(Me) },
      errors: ["precondition_failed", "not_found", "media_not_ready", "quota_exceeded"],
    }),
  },
};

/** Paths of the site. An account with such a handle would hide a page. */
export const reservedHandles: readonly string[] = [
  "about",
  "admin",
  "api",
  "assets",
  "auth",
  "blog",
  "collections",
  "contests",
  "docs",
  "feeds",
  "healthz",
  "help",
  "home",
  "leaderboards",
  "login",
  "logout",
  "makes",
  "me",
  "media",
  "models",
  "new",
  "posts",
  "privacy",
  "prompts",
  "readyz",
  "reference",
  "schemas",
  "search",
  "security",
  "settings",
  "signup",
  "status",
  "tags",
  "terms",
  "users",
  "webhooks",
];
