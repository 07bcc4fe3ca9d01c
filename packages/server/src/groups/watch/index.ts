import type { ServerGroup } from "../../kernel/group.ts";
import * as handlers from "./watch.ts";

export const watch = { handlers } satisfies ServerGroup<"watch">;
