import type { ServerGroup } from "../../kernel/group.ts";
import { list } from "./list.ts";
import * as makes from "./makes.ts";
import * as prompts from "./prompts.ts";
import { trend } from "./stars.sql.ts";

export const stars = { handlers: { list, prompts, makes }, trend } satisfies ServerGroup<"stars">;
