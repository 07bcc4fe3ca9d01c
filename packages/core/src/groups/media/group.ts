import type { Group } from "../../language/group.ts";
import { mediaLimits } from "./limits.ts";
import { mediaTargets } from "./targets.ts";

/** What the group defines in addition to its operations. */
export const mediaGroup = {
  title: "Media",
  description: "Pictures, videos, sounds, models and files, to be shown with other things.",
  ids: ["med"],
  targets: mediaTargets,
  limits: mediaLimits,
} as const satisfies Group;
