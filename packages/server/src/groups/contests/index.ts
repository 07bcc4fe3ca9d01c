import type { ServerGroup } from "../../kernel/group.ts";
import * as handlers from "./contests.ts";
import * as entries from "./entries.ts";
import { renewHtml } from "./texts.sql.ts";
import { type ChangeJob, forgetAddresses } from "./result.sql.ts";
import { settleDue, tellChange } from "./settle.ts";
import { contestTarget, entryTarget } from "./target.ts";

export const contests = {
  handlers: { ...handlers, entries },
  targets: { contest: contestTarget, contest_entry: entryTarget },
  work: (server) => ({
    tasks: { "contest-changed": (job: ChangeJob) => tellChange(server, job) },
    async everyMinute() {
      await settleDue(server);
      await renewHtml(server.sql);
    },
    hourly: () => forgetAddresses(server.sql),
  }),
} satisfies ServerGroup<"contests">;
