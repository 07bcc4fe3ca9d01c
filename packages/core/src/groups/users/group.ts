import type { Group } from "../../group.ts";

/** What accounts bring beside their operations. */
export const usersGroup = {
  title: "Users",
  description: "People, and the account behind a token.",
  ids: ["usr", "tok"],
} as const satisfies Group;
