import type { ServerGroup } from "../../kernel/group.ts";
import * as handlers from "./collections.ts";
import { followTargets } from "./count.sql.ts";
import * as items from "./items.ts";
import { collectionTarget } from "./target.ts";

export const collections = {
  handlers: { ...handlers, items },
  targets: { collection: collectionTarget },
  work: ({ sql }) => ({ sweep: () => followTargets(sql) }),
} satisfies ServerGroup<"collections">;
export { collectionSummary } from "./items.sql.ts";
export { isCollectionListed, isOwnCollection, shownByCollection } from "./target.ts";
