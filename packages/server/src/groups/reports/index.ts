import type { ServerGroup } from "../../kernel/group.ts";
import * as handlers from "./reports.ts";
import { reportTarget } from "./target.ts";

export const reports = { handlers, targets: { report: reportTarget } } satisfies ServerGroup<"reports">;
