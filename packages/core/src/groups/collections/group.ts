import type { Group } from "../../language/group.ts";
import { collectionTargets } from "./targets.ts";

/** What the group defines in addition to its operations. */
export const collectionsGroup = {
  title: "Collections",
  description: "Prompts, makes and posts that somebody puts together, in an order and with notes.",
  ids: ["col", "itm"],
  targets: collectionTargets,
  limits: { collectionsPerAccount: 200, itemsPerCollection: 500 },
} as const satisfies Group;
