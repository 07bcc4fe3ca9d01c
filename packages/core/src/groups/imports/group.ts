import type { Group } from "../../language/group.ts";
import { importLimits } from "./limits.ts";
import { importNotifications } from "./notifications.ts";
import { importTargets } from "./targets.ts";

/** What the group defines in addition to its operations. */
export const importsGroup = {
  title: "Imports",
  description:
    "Prompts of other tools, found in texts, files, archives and repositories, and taken over as drafts.",
  ids: ["imp", "iim", "imi"],
  targets: importTargets,
  notifications: importNotifications,
  notificationTargets: ["import"],
  limits: importLimits,
} as const satisfies Group;
