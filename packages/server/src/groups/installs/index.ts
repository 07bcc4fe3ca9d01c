import type { ServerGroup } from "../../kernel/group.ts";
import { record } from "./record.ts";
import { deleteOldInstalls, trend } from "./installs.sql.ts";
import { stats } from "./stats.ts";

export const installs = {
  handlers: { record, stats },
  trend,
  work: ({ sql }) => ({ everyMinute: () => deleteOldInstalls(sql) }),
} satisfies ServerGroup<"installs">;
