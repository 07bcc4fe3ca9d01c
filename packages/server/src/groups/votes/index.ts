import type { ServerGroup } from "../../kernel/group.ts";
import * as handlers from "./votes.ts";

export const votes = { handlers } satisfies ServerGroup<"votes">;
