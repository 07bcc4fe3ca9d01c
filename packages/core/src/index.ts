export * from "./access.ts";
export {
  type CheckedFile,
  checkFiles,
  comparableText,
  compareVariables,
  contentHash,
  type DiffHunk,
  type DiffLine,
  type DiffStats,
  entryFiles,
  type FileDiff,
  fingerprint,
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
export type * from "./group.ts";
export * from "./groups.ts";
export * from "./groups/prompts/entry.ts";
export * from "./limits.ts";
export * from "./list.ts";
export * from "./notification.ts";
export * from "./notifications.ts";
export * from "./operation.ts";
export * from "./rate-limits.ts";
export * from "./refs.ts";
export * from "./schema.ts";
export * from "./target.ts";
export * from "./targets.ts";
