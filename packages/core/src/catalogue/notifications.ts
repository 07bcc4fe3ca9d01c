import type { EventDataOf, EventName } from "./events.ts";
import { type Brought, brought, type NotificationTargetType } from "./groups.ts";
import type { Describe } from "../language/notification.ts";

type Catalogue = Brought<"notifications">;

/** The types of notifications, also by mail: every event except `ping`, and types that are no events. */
export type NotificationType = keyof Catalogue;

/** Every type of notification, with the function that writes its text. An event without a text does not compile. */
export const notificationCatalogue: Catalogue & {
  readonly [N in Exclude<EventName, "ping">]: Describe<EventDataOf<N>, NotificationTargetType>;
} = brought("notifications");

/** Every type of notification by name. */
export const notificationTypes = Object.keys(notificationCatalogue) as NotificationType[];
