import type { Group } from "../../language/group.ts";
import { reportNotifications } from "./notifications.ts";
import { reportTargets } from "./targets.ts";

/** What the group defines in addition to its operations. */
export const reportsGroup = {
  title: "Reports",
  description: "What people tell moderators about spam, abuse and other things that should not be here.",
  ids: ["rpt"],
  targets: reportTargets,
  notifications: reportNotifications,
  notificationTargets: ["report", "user"],
  limits: { openReportsPerAccount: 100 },
} as const satisfies Group;
