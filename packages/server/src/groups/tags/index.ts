import type { ServerGroup } from "../../kernel/group.ts";
import { tagTarget } from "./target.ts";
import { get, list } from "./tags.ts";
import { addUpTags } from "./tags.sql.ts";

export const tags = {
  handlers: { list, get },
  targets: { tag: tagTarget },
  work: ({ sql }) => ({ sweep: () => addUpTags(sql) }),
} satisfies ServerGroup<"tags">;
export { beginsWith, countTags, tagsByCount } from "./tags.sql.ts";
