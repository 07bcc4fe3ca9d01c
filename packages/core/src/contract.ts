import { evals } from "./groups/evals/index.ts";
import { installs } from "./groups/installs/installs.ts";
import { notifications } from "./groups/notifications/notifications.ts";
import { prompts } from "./groups/prompts/index.ts";
import { stars } from "./groups/stars/index.ts";
import { users } from "./groups/users/index.ts";
import { watch } from "./groups/watch/watch.ts";
import { webhooks } from "./groups/webhooks/index.ts";
import type { GroupName } from "./groups.ts";
import type { At, IdsOf, Operation } from "./operation.ts";

export * from "./groups/evals/index.ts";
export * from "./groups/installs/installs.ts";
export * from "./groups/notifications/notifications.ts";
export * from "./groups/prompts/index.ts";
export * from "./groups/stars/index.ts";
export * from "./groups/users/index.ts";
export * from "./groups/watch/watch.ts";
export * from "./groups/webhooks/index.ts";

/**
 * Every operation of the API. An interface and not an inferred object, because editors then keep the
 * documentation of each operation and lead to the line that defines it.
 */
export interface Contract {
  prompts: typeof prompts;
  webhooks: typeof webhooks;
  evals: typeof evals;
  users: typeof users;
  stars: typeof stars;
  watch: typeof watch;
  installs: typeof installs;
  notifications: typeof notifications;
}

/** The operations of all groups. A group that is not in `groups.ts` too, or only there, does not compile. */
export const contract: Contract = {
  prompts,
  webhooks,
  evals,
  users,
  stars,
  watch,
  installs,
  notifications,
} satisfies Record<GroupName, object>;

/** The id of an operation, its address everywhere: `prompts.labels.put`. */
export type OperationId = IdsOf<Contract>;
/** The operation of an id. */
export type OperationOf<Id extends OperationId> = At<Contract, Id>;
/** Method and path of every operation: what a client needs of the contract at run time. */
export type Routes = { [Id in OperationId]: OperationOf<Id> extends Operation<infer R> ? R : never };

export { listOperations, mediaList } from "./operation.ts";
