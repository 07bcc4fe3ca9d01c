import type { ServerGroup } from "../../kernel/group.ts";
import { list } from "./list.ts";

export const models = { handlers: { list } } satisfies ServerGroup<"models">;
