import type { Group } from "../../language/group.ts";

/** What the group defines in addition to its operations. */
export const watchGroup = {
  title: "Watch",
  description: "Prompts that an account follows, and how closely.",
  limits: { watchesPerAccount: 5_000 },
} as const satisfies Group;
