import type { ServerGroup } from "../../kernel/group.ts";
import { query } from "./query.ts";
import { suggest } from "./suggest.ts";

export const search = { handlers: { query, suggest } } satisfies ServerGroup<"search">;
