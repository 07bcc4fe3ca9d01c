import type { GroupName } from "@promptreg/core";
import type { ServerGroup, Trend } from "../kernel/group.ts";
import type { Handlers } from "../kernel/handler.ts";
import type { TargetKinds } from "../kernel/target.ts";
import { analytics } from "./analytics/index.ts";
import { changeRequests } from "./change-requests/index.ts";
import { collections } from "./collections/index.ts";
import { leaderboards } from "./leaderboards/index.ts";
import { makes } from "./makes/index.ts";
import { media } from "./media/index.ts";
import { comments } from "./comments/index.ts";
import { contests } from "./contests/index.ts";
import { discord } from "./discord/index.ts";
import { evals } from "./evals/index.ts";
import { examples } from "./examples/index.ts";
import { imports } from "./imports/index.ts";
import { models } from "./models/index.ts";
import { installs } from "./installs/index.ts";
import { notifications } from "./notifications/index.ts";
import { openIn } from "./open-in/index.ts";
import { posts } from "./posts/index.ts";
import { prompts } from "./prompts/index.ts";
import { reports } from "./reports/index.ts";
import { search } from "./search/index.ts";
import { stars } from "./stars/index.ts";
import { suggestions } from "./suggestions/index.ts";
import { tags } from "./tags/index.ts";
import { users } from "./users/index.ts";
import { votes } from "./votes/index.ts";
import { watch } from "./watch/index.ts";
import { webhooks } from "./webhooks/index.ts";

/** What every group brings; one that is missing does not compile. */
export const groups: { [G in GroupName]: ServerGroup<G> } = {
  prompts,
  changeRequests,
  search,
  tags,
  leaderboards,
  analytics,
  webhooks,
  examples,
  makes,
  collections,
  posts,
  contests,
  media,
  comments,
  reports,
  evals,
  imports,
  users,
  stars,
  votes,
  watch,
  installs,
  openIn,
  notifications,
  discord,
  models,
  suggestions,
};

/** The handler of every operation. */
export const handlers = Object.fromEntries(
  Object.entries(groups).map(([name, { handlers }]) => [name, handlers]),
) as unknown as Handlers;

/** What people do with prompts and lets these trend. */
export const trends: readonly Trend[] = Object.values(groups).flatMap(
  ({ trend }: Pick<ServerGroup<GroupName>, "trend">) => trend ?? [],
);

/** How each kind of target is found. */
export const targets: TargetKinds = Object.assign(
  {},
  ...Object.values(groups).map(({ targets }: { targets?: object }) => targets),
);
