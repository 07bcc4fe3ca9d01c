import type { Group } from "../language/group.ts";
import { analyticsGroup } from "../groups/analytics/group.ts";
import { changeRequestsGroup } from "../groups/change-requests/group.ts";
import { collectionsGroup } from "../groups/collections/group.ts";
import { commentsGroup } from "../groups/comments/group.ts";
import { contestsGroup } from "../groups/contests/group.ts";
import { discordGroup } from "../groups/discord/group.ts";
import { evalsGroup } from "../groups/evals/group.ts";
import { examplesGroup } from "../groups/examples/group.ts";
import { importsGroup } from "../groups/imports/group.ts";
import { leaderboardsGroup } from "../groups/leaderboards/group.ts";
import { makesGroup } from "../groups/makes/group.ts";
import { mediaGroup } from "../groups/media/group.ts";
import { modelsGroup } from "../groups/models/group.ts";
import { installsGroup } from "../groups/installs/group.ts";
import { notificationsGroup } from "../groups/notifications/group.ts";
import { openInGroup } from "../groups/open-in/group.ts";
import { postsGroup } from "../groups/posts/group.ts";
import { promptsGroup } from "../groups/prompts/group.ts";
import { reportsGroup } from "../groups/reports/group.ts";
import { searchGroup } from "../groups/search/group.ts";
import { starsGroup } from "../groups/stars/group.ts";
import { suggestionsGroup } from "../groups/suggestions/group.ts";
import { tagsGroup } from "../groups/tags/group.ts";
import { usersGroup } from "../groups/users/group.ts";
import { votesGroup } from "../groups/votes/group.ts";
import { watchGroup } from "../groups/watch/group.ts";
import { webhooksGroup } from "../groups/webhooks/group.ts";

/** Every group of operations, with what it brings beside them, in the order in which the documentation shows it. */
export const groups = {
  prompts: promptsGroup,
  changeRequests: changeRequestsGroup,
  examples: examplesGroup,
  makes: makesGroup,
  collections: collectionsGroup,
  posts: postsGroup,
  contests: contestsGroup,
  media: mediaGroup,
  comments: commentsGroup,
  reports: reportsGroup,
  search: searchGroup,
  tags: tagsGroup,
  leaderboards: leaderboardsGroup,
  analytics: analyticsGroup,
  evals: evalsGroup,
  imports: importsGroup,
  webhooks: webhooksGroup,
  users: usersGroup,
  stars: starsGroup,
  votes: votesGroup,
  watch: watchGroup,
  installs: installsGroup,
  openIn: openInGroup,
  notifications: notificationsGroup,
  discord: discordGroup,
  models: modelsGroup,
  suggestions: suggestionsGroup,
};

/** The name of a group, with which the ids of its operations begin. */
export type GroupName = keyof typeof groups;

/** What groups bring under one name, a union with a member for each group that brings it. */
type Part<Name extends keyof Group, G = (typeof groups)[GroupName]> =
  G extends Readonly<Record<Name, infer Found>> ? Found : never;
type All<Union> = (Union extends unknown ? (it: Union) => void : never) extends (it: infer Every) => void
  ? Every
  : never;

type Tables = "events" | "notifications" | "limits" | "targets";

/** What all groups bring under one name, as one table. An intersection leads editors to where each entry stands. */
export type Brought<Name extends Tables> = All<Part<Name>>;
/** Merges what all groups bring under one name. */
export const brought = <Name extends Tables>(name: Name): Brought<Name> =>
  Object.assign({}, ...Object.values<Group>(groups).map((group) => group[name]));

/** The prefix of an id, which names the kind of thing that it is of; a lower-case ULID of 26 characters follows. */
export type IdPrefix = Part<"ids">[number];
/** Every prefix of an id. */
export const idPrefixes = Object.values<Group>(groups).flatMap(({ ids = [] }) => ids) as IdPrefix[];

/** The type of a thing that a notification is about. */
export type NotificationTargetType = Part<"notificationTargets">[number];
/** Every type of thing that a notification is about. */
export const notificationTargetTypes = Object.values<Group>(groups).flatMap(
  ({ notificationTargets = [] }) => notificationTargets,
) as NotificationTargetType[];
