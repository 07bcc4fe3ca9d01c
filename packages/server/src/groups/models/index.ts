import type { ServerGroup } from "../../kernel/group.ts";
import { list } from "./list.ts";

export { modelIdOf } from "./model-id.ts";

export const models = { handlers: { list } } satisfies ServerGroup<"models">;
