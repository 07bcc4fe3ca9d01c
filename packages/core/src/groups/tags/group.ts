import type { Group } from "../../language/group.ts";
import { tagTargets } from "./targets.ts";

/** What the group defines in addition to its operations. */
export const tagsGroup = {
  title: "Tags",
  description: "The words by which people sort what is public.",
  targets: tagTargets,
} as const satisfies Group;
