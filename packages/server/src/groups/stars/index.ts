import type { ServerGroup } from "../../kernel/group.ts";
import { add, list, remove } from "./stars.ts";
import { trend } from "./stars.sql.ts";

export const stars = { handlers: { list, prompts: { add, remove } }, trend } satisfies ServerGroup<"stars">;
