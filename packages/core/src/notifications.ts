import type { EventDataOf, EventName } from "./events.ts";
import { type Brought, brought, type NotificationTargetType } from "./groups.ts";
import type { Describe } from "./notification.ts";

type Catalogue = Brought<"notifications">;

/** What an account can be notified of, and mailed about: every event but `ping`, and what is no event. */
export type NotificationType = keyof Catalogue;

/** Every type of notification, with what writes its words. An event without words does not compile. */
export const notificationCatalogue: Catalogue & {
  readonly [N in Exclude<EventName, "ping">]: Describe<EventDataOf<N>, NotificationTargetType>;
} = brought("notifications");

/** Every type of notification by name. */
export const notificationTypes = Object.keys(notificationCatalogue) as NotificationType[];
