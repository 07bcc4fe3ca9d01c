import type { ServerGroup } from "../../kernel/group.ts";
import * as handlers from "./change-requests.ts";
import { renewHtml } from "./requests.sql.ts";
import { changeRequestTarget } from "./target.ts";

export const changeRequests = {
  handlers,
  targets: { change_request: changeRequestTarget },
  work: ({ sql }) => ({ everyMinute: () => renewHtml(sql) }),
} satisfies ServerGroup<"changeRequests">;
