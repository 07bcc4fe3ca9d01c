import type { Group } from "../../language/group.ts";
import { userTargets } from "./targets.ts";

/** What the group defines in addition to its operations. */
export const usersGroup = {
  title: "Users",
  description: "People, and the account behind a token.",
  ids: ["usr", "tok"],
  targets: userTargets,
} as const satisfies Group;
