import type { Group } from "../../language/group.ts";
import { webhookTargets } from "./targets.ts";
import { webhookEvents } from "./events.ts";
import { webhookNotifications } from "./notifications.ts";

/** What the group defines in addition to its operations. */
export const webhooksGroup = {
  title: "Webhooks",
  description: "Signed deliveries of events to an address of yours.",
  ids: ["whk", "dlv", "evt"],
  targets: webhookTargets,
  events: webhookEvents,
  notifications: webhookNotifications,
  notificationTargets: ["webhook"],
  limits: { webhooksPerAccount: 20 },
} as const satisfies Group;
