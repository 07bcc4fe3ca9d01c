import type { Group } from "../../language/group.ts";
import { commentEvents } from "./events.ts";
import { commentNotifications } from "./notifications.ts";
import { commentTargets } from "./targets.ts";

/** What the group defines in addition to its operations. */
export const commentsGroup = {
  title: "Comments",
  description: "What people write about prompts, versions, change requests, makes and posts.",
  ids: ["cmt"],
  targets: commentTargets,
  events: commentEvents,
  notifications: commentNotifications,
  notificationTargets: ["comment"],
  limits: { mentionsPerComment: 10 },
} as const satisfies Group;
