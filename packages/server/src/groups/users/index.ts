import type { ServerGroup } from "../../kernel/group.ts";
import { get } from "./get.ts";
import * as me from "./me.ts";
import { userTarget } from "./target.ts";

export const users = { handlers: { get, me }, targets: { user: userTarget } } satisfies ServerGroup<"users">;
export { shownByAccount } from "./target.ts";
