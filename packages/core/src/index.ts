export * from "./access.ts";
export {
  type CheckedFile,
  checkFiles,
  compareVariables,
  contentHash,
  type DiffHunk,
  type DiffLine,
  type DiffStats,
  entryFiles,
  type FileDiff,
  type Problem,
  promptKinds,
  type VariableChanges,
} from "./content.ts";
export * from "./contract.ts";
export { describeIssue } from "./describe-issue.ts";
export * from "./errors.ts";
export * from "./event.ts";
export * from "./events.ts";
export * from "./fields.ts";
export * from "./groups.ts";
export * from "./groups/evals/results.ts";
export * from "./groups/evals/runs.ts";
export * from "./groups/notifications/notifications.ts";
export * from "./groups/prompts/compare.ts";
export * from "./groups/prompts/entry.ts";
export * from "./groups/prompts/draft.ts";
export { EventPrompt } from "./groups/prompts/events.ts";
export * from "./groups/prompts/labels.ts";
export * from "./groups/prompts/list.ts";
export * from "./groups/prompts/manifest.ts";
export { manifestSchema } from "./groups/prompts/manifest-schema.ts";
export * from "./groups/prompts/prompts.ts";
export * from "./groups/prompts/schemas.ts";
export * from "./groups/prompts/update.ts";
export * from "./groups/prompts/versions.ts";
export * from "./groups/prompts/which-version.ts";
export * from "./groups/users/schemas.ts";
export { Scope } from "./groups/users/schemas.ts";
export * from "./groups/users/users.ts";
export * from "./groups/watch/watch.ts";
export * from "./groups/webhooks/deliveries.ts";
export type { DisabledWebhook } from "./groups/webhooks/notifications.ts";
export * from "./groups/webhooks/webhooks.ts";
export * from "./limits.ts";
export * from "./list.ts";
export * from "./notification.ts";
export * from "./notifications.ts";
export * from "./operation.ts";
export * from "./rate-limits.ts";
export * from "./refs.ts";
export * from "./summaries.ts";
export * from "./target.ts";
export * from "./targets.ts";
