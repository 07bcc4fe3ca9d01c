import type { Group } from "../../group.ts";

/** What votes bring beside their operations. */
export const votesGroup = {
  title: "Votes",
  description: "What people think of examples.",
} as const satisfies Group;
