import type { ServerGroup } from "../../kernel/group.ts";
import { computeBoards } from "./compute.ts";
import { get } from "./get.ts";

export const leaderboards = {
  handlers: { get },
  work: (server, { trends }) => ({ hourly: () => computeBoards(server, trends) }),
} satisfies ServerGroup<"leaderboards">;
