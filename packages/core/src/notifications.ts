import type { EventDataOf, EventName } from "./events.ts";
import { evalNotifications } from "./groups/evals/notifications.ts";
import { promptNotifications } from "./groups/prompts/notifications.ts";
import { webhookNotifications } from "./groups/webhooks/notifications.ts";
import type { Describe } from "./notification.ts";

type Catalogue = typeof promptNotifications & typeof evalNotifications & typeof webhookNotifications;

/** What an account can be notified of, and mailed about: every event but pings, and what is none. */
export type NotificationType = keyof Catalogue;

/** Every type of notification, with what puts it into words. An event without words does not compile. */
export const notificationCatalogue: Catalogue & {
  readonly [N in Exclude<EventName, "ping">]: Describe<EventDataOf<N>>;
} = { ...promptNotifications, ...evalNotifications, ...webhookNotifications };

export const notificationTypes = Object.keys(notificationCatalogue) as NotificationType[];
