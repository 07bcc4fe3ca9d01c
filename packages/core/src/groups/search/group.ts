import type { Group } from "../../language/group.ts";

/** What the group defines in addition to its operations. */
export const searchGroup = {
  title: "Search",
  description: "Finds what everybody can see: prompts, makes, posts, collections and people.",
} as const satisfies Group;
