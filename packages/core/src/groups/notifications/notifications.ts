import * as z from "zod";
import { id, moment, timestamp } from "../../language/fields.ts";
import { type NotificationTargetType, notificationTargetTypes } from "../../catalogue/groups.ts";
import { flag, type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import { type NotificationType, notificationTypes } from "../../catalogue/notifications.ts";
import { form, html, json, multipart, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { UserRef } from "../users/schemas.ts";

const NotificationType: Schema<NotificationType> = z.enum(notificationTypes).meta({ id: "NotificationType" });

/** What a notification is about. */
export interface NotificationTarget {
  type: NotificationTargetType;
  /** Its address, as it stands in targets. */
  id: string;
}

/** A notification of one account. */
export interface Notification {
  id: string;
  type: NotificationType;
  title: string;
  body: string;
  url: string;
  /** Who did it; null where the system acted. */
  actor: UserRef | null;
  /** What it is about, with its address at that time. */
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

/** Which notifications to list. */
export interface ListNotifications extends PageQuery {
  /** True for unread notifications, false for read ones. */
  unread?: boolean;
  /** Only those of this type. */
  type?: NotificationType;
}
const ListNotifications: Schema<ListNotifications> = z.strictObject({
  ...pageQuery(),
  unread: flag.optional(),
  type: NotificationType.optional(),
});

/** The number of unread notifications. */
export interface UnreadCount {
  /** At most 1,000. */
  unread: number;
}
const unreadCount = { unread: z.int() };
const UnreadCount: Schema<UnreadCount> = z.strictObject(unreadCount).meta({ id: "UnreadCount" });

/** Which notifications to mark: `ids` or `all`. */
export interface MarkNotifications {
  ids?: string[];
  all?: true;
  /** With `all`: only those created before this time. */
  before?: string;
  /** False marks them as unread. Default: true. */
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

/** The result of marking. */
export interface MarkedNotifications extends UnreadCount {
  /** How many changed. Notifications of other accounts never change. */
  updated: number;
}
const MarkedNotifications: Schema<MarkedNotifications> = z
  .strictObject({ updated: z.int(), ...unreadCount })
  .meta({ id: "MarkedNotifications" });

/** The query of the link in every mail. */
export interface UnsubscribeQuery {
  /** The token of the link. It names the account and the type of mail. */
  t: string;
}
const UnsubscribeQuery: Schema<UnsubscribeQuery> = z.strictObject({ t: z.string().max(500) });

/** The form that mail providers send (RFC 8058), and the page's own button. */
export interface OneClick {
  "List-Unsubscribe": "One-Click";
}
const OneClick: Schema<OneClick> = z.strictObject({ "List-Unsubscribe": z.literal("One-Click") });

/** The link itself proves whose it is, so no token is needed. */
const anybody = { auth: "optional", scope: "none", isProven: true } as const;
const tiny = { maxBytes: 4096 };

export const notifications = {
  /**
   * Lists your notifications, newest first. They are kept for 180 days. Those about a prompt that you cannot see any
   * more are left out. A page can therefore be short, or empty, while more pages follow.
   */
  list: op({
    route: "GET /notifications",
    access: { auth: "required", scope: "read" },
    query: ListNotifications,
    results: { 200: json(pageOf(Notification)) },
    errors: ["invalid_cursor"],
  }),
  /** Counts your unread notifications, up to 1,000. Without a token the count is 0. */
  count: op({
    route: "GET /notifications/count",
    access: { auth: "optional", scope: "read" },
    results: { 200: json(UnreadCount) },
  }),
  /**
   * Marks notifications as read, or as unread. One call marks at most the newest 100,000. Call again while some are
   * unread.
   */
  markRead: op({
    route: "POST /notifications/read",
    access: { auth: "required", scope: "write" },
    body: json(MarkNotifications),
    results: { 200: json(MarkedNotifications) },
  }),
  /** Shows the page on which people unsubscribe from mail. Opening it changes nothing. */
  unsubscribePage: op({
    route: "GET /notifications/unsubscribe",
    access: anybody,
    query: UnsubscribeQuery,
    results: { 200: html(), 404: html() },
  }),
  /** Stops mail about one type of notification, in one click (RFC 8058). It can be repeated. */
  unsubscribe: op({
    route: "POST /notifications/unsubscribe",
    access: anybody,
    query: UnsubscribeQuery,
    body: [form(OneClick, tiny), multipart(OneClick, tiny)],
    results: { 200: html() },
    errors: ["not_found"],
  }),
};
