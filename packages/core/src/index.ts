export * from "./operations/access.ts";
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
} from "./content/index.ts";
export * from "./contract.ts";
export { describeIssue } from "./language/describe-issue.ts";
export * from "./catalogue/errors.ts";
export * from "./language/event.ts";
export * from "./catalogue/events.ts";
export * from "./language/fields.ts";
export type * from "./language/group.ts";
export * from "./catalogue/groups.ts";
export * from "./content/entry.ts";
export * from "./catalogue/limits.ts";
export * from "./language/list.ts";
export * from "./language/notification.ts";
export * from "./catalogue/notifications.ts";
export * from "./operations/operation.ts";
export * from "./operations/rate-limits.ts";
export * from "./language/refs.ts";
export * from "./language/schema.ts";
export * from "./language/target.ts";
export * from "./catalogue/targets.ts";
