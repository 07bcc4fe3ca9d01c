import type { Group } from "../../language/group.ts";
import { postLimits } from "./limits.ts";
import { postNotifications } from "./notifications.ts";
import { postTargets } from "./targets.ts";

/** What the group defines in addition to its operations. */
export const postsGroup = {
  title: "Blog",
  description:
    "What people write about prompts. A post has a published text and a working copy; moderators review posts of authors who are not trusted yet.",
  ids: ["pst", "rev", "ser"],
  targets: postTargets,
  notifications: postNotifications,
  notificationTargets: ["post"],
  limits: postLimits,
} as const satisfies Group;
