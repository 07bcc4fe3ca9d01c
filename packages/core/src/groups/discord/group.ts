import type { Group } from "../../language/group.ts";

/** What the group defines in addition to its operations. */
export const discordGroup = {
  title: "Discord",
  description: "Commands in Discord, and the link between an account there and one here.",
} as const satisfies Group;
