import type { ServerGroup } from "../../kernel/group.ts";
import * as handlers from "./change-requests.ts";
import { changeRequestTarget } from "./target.ts";

export const changeRequests = {
  handlers,
  targets: { change_request: changeRequestTarget },
} satisfies ServerGroup<"changeRequests">;
