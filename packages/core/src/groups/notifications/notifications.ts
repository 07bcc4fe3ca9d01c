import * as z from "zod";
import { id, moment, timestamp } from "../../fields.ts";
import { type NotificationTargetType, notificationTargetTypes } from "../../groups.ts";
import { flag, type PageQuery, pageOf, pageQuery } from "../../list.ts";
import { type NotificationType, notificationTypes } from "../../notifications.ts";
import { form, html, json, multipart, op } from "../../operation.ts";
import type { Schema } from "../../schema.ts";
import { UserRef } from "../users/schemas.ts";

const NotificationType: Schema<NotificationType> = z.enum(notificationTypes).meta({ id: "NotificationType" });

/** What a notification is about. */
export interface NotificationTarget {
  type: NotificationTargetType;
  /** Its address, as it stands in targets. */
  id: string;
}

/** Something that happened, as one account is told of it. */
export interface Notification {
  id: string;
  type: NotificationType;
  title: string;
  body: string;
  url: string;
  /** Who did it; null where the system acted. */
  actor: UserRef | null;
  /** What it is about, by the address that it had then. */
  target: NotificationTarget;
  readAt: string | null;
  /** When it happened. */
  createdAt: string;
}
export const Notification: Schema<Notification> = z
  .strictObject({
    id: id("ntf"),
    type: NotificationType,
    title: z.string(),
    body: z.string(),
    url: z.string(),
    actor: z.nullable(UserRef),
    target: z.strictObject({ type: z.enum(notificationTargetTypes), id: z.string() }),
    readAt: z.nullable(timestamp),
    createdAt: timestamp,
  })
  .meta({ id: "Notification" });

export interface ListNotifications extends PageQuery {
  /** True for those that were not read, false for those that were. */
  unread?: boolean;
  /** Only those of this type. */
  type?: NotificationType;
}
const ListNotifications: Schema<ListNotifications> = z.strictObject({
  ...pageQuery(),
  unread: flag.optional(),
  type: NotificationType.optional(),
});

/** How much there is to read. */
export interface UnreadCount {
  /** Of the newest 1,000 that are unread. */
  unread: number;
}
const unreadCount = { unread: z.int() };
const UnreadCount: Schema<UnreadCount> = z.strictObject(unreadCount).meta({ id: "UnreadCount" });

/** Which notifications are read, or unread again: either these, or all. */
export interface MarkNotifications {
  ids?: string[];
  all?: true;
  /** Of all, only those that were created before this moment. */
  before?: string;
  /** True when absent; false makes them unread again. */
  read?: boolean;
}
const MarkNotifications: Schema<MarkNotifications> = z
  .strictObject({
    ids: z.array(id("ntf")).min(1).max(100).optional(),
    all: z.literal(true).optional(),
    before: moment.optional(),
    read: z.boolean().optional(),
  })
  .refine(({ ids, all }) => (ids === undefined) !== (all === undefined), {
    error: "give either ids or all",
  })
  .refine(({ all, before }) => before === undefined || all !== undefined, {
    error: "before goes with all",
  })
  .meta({ id: "MarkNotifications" });

/** What was marked. */
export interface MarkedNotifications extends UnreadCount {
  /** How many changed; those of other accounts never do. */
  updated: number;
}
const MarkedNotifications: Schema<MarkedNotifications> = z
  .strictObject({ updated: z.int(), ...unreadCount })
  .meta({ id: "MarkedNotifications" });

export interface UnsubscribeQuery {
  /** The token of the link, which says whose mail about what is to stop. */
  t: string;
}
const UnsubscribeQuery: Schema<UnsubscribeQuery> = z.strictObject({ t: z.string().max(500) });

/** What providers of mail send, as RFC 8058 has it, and the page's own button as well. */
export interface OneClick {
  "List-Unsubscribe": "One-Click";
}
const OneClick: Schema<OneClick> = z.strictObject({ "List-Unsubscribe": z.literal("One-Click") });

/** The link proves by itself whose it is: no token is looked for. */
const anybody = { auth: "optional", scope: "none" } as const;
const tiny = { maxBytes: 4096 };

export const notifications = {
  /**
   * Lists the caller's notifications, newest first. They are kept for 180 days. Those about a prompt that the caller
   * cannot see now are left out; where many are, a page can be short, or empty, though the list goes on.
   */
  list: op({
    route: "GET /notifications",
    access: { auth: "required", scope: "read" },
    query: ListNotifications,
    results: { 200: json(pageOf(Notification)) },
    errors: ["invalid_cursor"],
  }),
  /** Counts the unread notifications of the caller, up to 1,000. It is 0 for whoever is signed out. */
  count: op({
    route: "GET /notifications/count",
    access: { auth: "optional", scope: "read" },
    results: { 200: json(UnreadCount) },
  }),
  /**
   * Marks notifications as read, or as unread. Of more than 100,000 the newest are marked: ask again for the rest, as
   * long as some are unread.
   */
  markRead: op({
    route: "POST /notifications/read",
    access: { auth: "required", scope: "write" },
    body: json(MarkNotifications),
    results: { 200: json(MarkedNotifications) },
  }),
  /** Shows the page to which mails link, where one can unsubscribe. Opening it changes nothing. */
  unsubscribePage: op({
    route: "GET /notifications/unsubscribe",
    access: anybody,
    query: UnsubscribeQuery,
    results: { 200: html(), 404: html() },
  }),
  /** Ends mail about one type of notification, in one click (RFC 8058). Once more says the same. */
  unsubscribe: op({
    route: "POST /notifications/unsubscribe",
    access: anybody,
    query: UnsubscribeQuery,
    body: [form(OneClick, tiny), multipart(OneClick, tiny)],
    results: { 200: html() },
    errors: ["not_found"],
  }),
};
