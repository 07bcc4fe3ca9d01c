import type { Group } from "../../language/group.ts";

/** What the group defines in addition to its operations. */
export const leaderboardsGroup = {
  title: "Leaderboards",
  description: "The prompts, makes, creators and eval results that are best, counted once an hour.",
} as const satisfies Group;
