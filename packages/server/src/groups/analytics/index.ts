import type { ServerGroup } from "../../kernel/group.ts";
import * as me from "./me.ts";
import * as prompts from "./prompts.ts";

export const analytics = {
  handlers: { prompts, me },
} satisfies ServerGroup<"analytics">;
