import type { Group } from "../../language/group.ts";

/** What analytics bring beside their operations. */
export const analyticsGroup = {
  title: "Analytics",
  description:
    "How often your prompts and makes are viewed, read, downloaded, installed and liked, day by day.",
} as const satisfies Group;
