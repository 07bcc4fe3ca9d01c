import type { Group } from "../../language/group.ts";
import { evalTargets } from "./targets.ts";
import { evalEvents } from "./events.ts";
import { evalLimits } from "./limits.ts";
import { evalNotifications } from "./notifications.ts";

/** What the group defines in addition to its operations. */
export const evalsGroup = {
  title: "Evals",
  description: "Datasets of cases, and runs that report how a version of a prompt did, case by case.",
  ids: ["eds", "ecs", "run", "res"],
  targets: evalTargets,
  events: evalEvents,
  notifications: evalNotifications,
  notificationTargets: ["run"],
  limits: evalLimits,
} as const satisfies Group;
