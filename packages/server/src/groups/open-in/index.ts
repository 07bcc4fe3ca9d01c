import type { ServerGroup } from "../../kernel/group.ts";
import { link } from "./link.ts";
import { targets } from "./targets.ts";

export const openIn = { handlers: { targets, link } } satisfies ServerGroup<"openIn">;
