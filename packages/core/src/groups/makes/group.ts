import type { Group } from "../../language/group.ts";
import { makeEvents } from "./events.ts";
import { makeLimits } from "./limits.ts";
import { makeNotifications } from "./notifications.ts";
import { makeTargets } from "./targets.ts";

/** What the group defines in addition to its operations. */
export const makesGroup = {
  title: "Makes",
  description:
    "What people made with prompts, with pictures, files and parts. The owner of a prompt approves what its gallery shows.",
  ids: ["mak", "mfl", "gal", "par", "lnk"],
  targets: makeTargets,
  events: makeEvents,
  notifications: makeNotifications,
  notificationTargets: ["make"],
  limits: makeLimits,
} as const satisfies Group;
