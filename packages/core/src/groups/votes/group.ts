import type { Group } from "../../language/group.ts";

/** What votes bring beside their operations. */
export const votesGroup = {
  title: "Votes",
  description: "What people think of examples, comments and posts.",
} as const satisfies Group;
