import { type GroupName, groups } from "./catalogue/groups.ts";
import * as published from "./groups/index.ts";
import type { At, IdsOf, Operation } from "./operations/operation.ts";

export * from "./groups/index.ts";

/**
 * Every operation of the API. Picked from what the groups publish and not inferred from a value, because editors then keep the
 * documentation of each operation and lead to the line that defines it.
 */
export interface Contract extends Pick<typeof published, GroupName> {}

const everyOperation: Contract = published;
/** The operations of all groups, in the order of these. */
export const contract = /* @__PURE__ */ Object.fromEntries(
  (Object.keys(groups) as GroupName[]).map((name) => [name, everyOperation[name]]),
) as unknown as Contract;

/** The id of an operation, its address everywhere: `prompts.labels.put`. */
export type OperationId = IdsOf<Contract>;
/** The operation of an id. */
export type OperationOf<Id extends OperationId> = At<Contract, Id>;
/** Method and path of every operation: what a client needs of the contract at run time. */
export type Routes = { [Id in OperationId]: OperationOf<Id> extends Operation<infer R> ? R : never };

export { listOperations, mediaList } from "./operations/operation.ts";
