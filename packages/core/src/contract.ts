import { changeRequests } from "./groups/change-requests/index.ts";
import { evals } from "./groups/evals/index.ts";
import { examples } from "./groups/examples/index.ts";
import { imports } from "./groups/imports/index.ts";
import { models } from "./groups/models/models.ts";
import { installs } from "./groups/installs/installs.ts";
import { notifications } from "./groups/notifications/notifications.ts";
import { openIn } from "./groups/open-in/index.ts";
import { prompts } from "./groups/prompts/index.ts";
import { search } from "./groups/search/index.ts";
import { stars } from "./groups/stars/index.ts";
import { tags } from "./groups/tags/index.ts";
import { users } from "./groups/users/index.ts";
import { votes } from "./groups/votes/votes.ts";
import { watch } from "./groups/watch/watch.ts";
import { webhooks } from "./groups/webhooks/index.ts";
import type { GroupName } from "./catalogue/groups.ts";
import type { At, IdsOf, Operation } from "./operations/operation.ts";

export * from "./groups/change-requests/index.ts";
export * from "./groups/evals/index.ts";
export * from "./groups/examples/index.ts";
export * from "./groups/imports/index.ts";
export * from "./groups/models/models.ts";
export * from "./groups/installs/installs.ts";
export * from "./groups/notifications/notifications.ts";
export * from "./groups/open-in/index.ts";
export * from "./groups/prompts/index.ts";
export * from "./groups/search/index.ts";
export * from "./groups/stars/index.ts";
export * from "./groups/tags/index.ts";
export * from "./groups/users/index.ts";
export * from "./groups/votes/votes.ts";
export * from "./groups/watch/watch.ts";
export * from "./groups/webhooks/index.ts";

/**
 * Every operation of the API. An interface and not an inferred object, because editors then keep the
 * documentation of each operation and lead to the line that defines it.
 */
export interface Contract {
  prompts: typeof prompts;
  changeRequests: typeof changeRequests;
  search: typeof search;
  tags: typeof tags;
  webhooks: typeof webhooks;
  examples: typeof examples;
  evals: typeof evals;
  imports: typeof imports;
  users: typeof users;
  stars: typeof stars;
  votes: typeof votes;
  watch: typeof watch;
  installs: typeof installs;
  openIn: typeof openIn;
  notifications: typeof notifications;
  models: typeof models;
}

/** The operations of all groups. A group that is not in `groups.ts` too, or only there, does not compile. */
export const contract: Contract = {
  prompts,
  changeRequests,
  search,
  tags,
  webhooks,
  examples,
  evals,
  imports,
  users,
  stars,
  votes,
  watch,
  installs,
  openIn,
  notifications,
  models,
} satisfies Record<GroupName, object>;

/** The id of an operation, its address everywhere: `prompts.labels.put`. */
export type OperationId = IdsOf<Contract>;
/** The operation of an id. */
export type OperationOf<Id extends OperationId> = At<Contract, Id>;
/** Method and path of every operation: what a client needs of the contract at run time. */
export type Routes = { [Id in OperationId]: OperationOf<Id> extends Operation<infer R> ? R : never };

export { listOperations, mediaList } from "./operations/operation.ts";
