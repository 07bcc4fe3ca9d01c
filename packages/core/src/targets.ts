import { evalTargets } from "./groups/evals/targets.ts";
import { promptTargets } from "./groups/prompts/targets.ts";
import { userTargets } from "./groups/users/targets.ts";
import { webhookTargets } from "./groups/webhooks/targets.ts";
import type { TargetKind } from "./target.ts";

const all = { ...promptTargets, ...evalTargets, ...userTargets, ...webhookTargets };

/** A kind of target by its name, which is also its prefix where a request names one of several kinds: `prompt:owner/slug`. */
export type Kind = keyof typeof all;
/** What a caller can be to a target of a kind. */
export type RoleOf<K extends Kind> = K extends Kind ? keyof (typeof all)[K]["roles"] & string : never;

/** Every kind of target. */
export const targetKinds: Readonly<Record<Kind, TargetKind>> = all;
