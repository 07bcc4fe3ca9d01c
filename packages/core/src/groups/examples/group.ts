import type { Group } from "../../language/group.ts";
import { exampleLimits } from "./limits.ts";
import { exampleNotifications } from "./notifications.ts";
import { exampleTargets } from "./targets.ts";

/** What the group defines in addition to its operations. */
export const examplesGroup = {
  title: "Examples",
  description:
    "What a prompt was filled in with, and what a model answered. The owner of the prompt approves them.",
  ids: ["exm"],
  targets: exampleTargets,
  notifications: exampleNotifications,
  notificationTargets: ["example"],
  limits: exampleLimits,
} as const satisfies Group;
