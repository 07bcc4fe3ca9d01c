import type { Group } from "../../language/group.ts";
import { changeRequestEvents } from "./events.ts";
import { changeRequestNotifications } from "./notifications.ts";
import { changeRequestTargets } from "./targets.ts";

/** What the group defines in addition to its operations. */
export const changeRequestsGroup = {
  title: "Change requests",
  description: "Versions of forks, proposed to the prompts that were forked.",
  targets: changeRequestTargets,
  events: changeRequestEvents,
  notifications: changeRequestNotifications,
  notificationTargets: ["change_request"],
  limits: { changeRequestsPerDay: 20 },
} as const satisfies Group;
