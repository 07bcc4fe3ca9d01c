import type { Group } from "../../language/group.ts";
import { promptTargets } from "./targets.ts";
import { promptEvents } from "./events.ts";
import { promptLimits } from "./limits.ts";
import { promptNotifications } from "./notifications.ts";

/** What the group defines in addition to its operations. */
export const promptsGroup = {
  title: "Prompts",
  description: "Prompts at `owner/slug`, their immutable versions, and the labels that point to versions.",
  ids: ["prm", "ver", "lmv"],
  targets: promptTargets,
  events: promptEvents,
  notifications: promptNotifications,
  notificationTargets: ["prompt", "version"],
  limits: promptLimits,
} as const satisfies Group;
