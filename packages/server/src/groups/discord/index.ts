import type { ServerGroup } from "../../kernel/group.ts";
import { sweepCodes } from "./codes.sql.ts";
import * as interactions from "./interactions.ts";
import * as link from "./link.ts";

export const discord = {
  handlers: { interactions, link },
  work: (server) => ({ everyMinute: () => sweepCodes(server.sql) }),
} satisfies ServerGroup<"discord">;
export { linkedDiscord } from "./links.sql.ts";
