import type { ServerGroup } from "../../kernel/group.ts";
import { list } from "./list.ts";
import * as prompts from "./prompts.ts";
import { trend } from "./stars.sql.ts";

export const stars = { handlers: { list, prompts }, trend } satisfies ServerGroup<"stars">;
