import type { Group } from "../../language/group.ts";

/** What stars bring beside their operations. */
export const starsGroup = {
  title: "Stars",
  description: "Prompts and makes that people like and want to find again.",
} as const satisfies Group;
