/** The rules of content that need no schemas, for tools that compare and check local files. */
export {
  type DivergedFile,
  type MergeConflict,
  type MergedFiles,
  mergeFiles,
  type ThreeVersions,
} from "./groups/change-requests/merge-files.ts";
export { archiveFolder } from "./groups/prompts/archive-folder.ts";
export { compareConfig } from "./groups/prompts/compare-config.ts";
export { compareVariables, type VariableChanges } from "./groups/prompts/compare-variables.ts";
export { contentHash } from "./groups/prompts/content-hash.ts";
export {
  type ChangedFile,
  type ComparableFile,
  type DiffStats,
  diffFiles,
  type FileDiff,
  findChangedFiles,
  hasOtherBytes,
} from "./groups/prompts/diff.ts";
export {
  countLines,
  type DiffHunk,
  type DiffLine,
  findChanges,
  splitLines,
} from "./groups/prompts/diff-lines.ts";
export { type CheckedFile, checkFiles, type FileInput } from "./groups/prompts/files.ts";
export { inTurn } from "./groups/prompts/in-turn.ts";
export { entryFiles, promptKinds } from "./groups/prompts/kinds.ts";
export { mediaType } from "./groups/prompts/media-type.ts";
export { isRepository, pathProblems } from "./groups/prompts/paths.ts";
export type { Problem, Warning } from "./groups/prompts/problem.ts";
export { comparableText, fingerprint } from "./imports/text/fingerprint.ts";
