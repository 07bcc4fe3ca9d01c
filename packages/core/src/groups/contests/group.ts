import type { Group } from "../../language/group.ts";
import { contestLimits } from "./limits.ts";
import { contestNotifications } from "./notifications.ts";
import { contestTargets } from "./targets.ts";

/** What the group defines in addition to its operations. */
export const contestsGroup = {
  title: "Contests",
  description: "Prompts and makes that compete: people vote, judges score, and the best win.",
  ids: ["con", "ent"],
  targets: contestTargets,
  notifications: contestNotifications,
  notificationTargets: ["contest"],
  limits: contestLimits,
} as const satisfies Group;
