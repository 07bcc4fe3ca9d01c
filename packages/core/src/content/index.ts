/** The rules of content that need no schemas, for tools that compare and check local files. */
export {
  type DivergedFile,
  type MergeConflict,
  type MergedFiles,
  mergeFiles,
  type ThreeVersions,
} from "./merge-files.ts";
export { archiveFolder } from "./archive-folder.ts";
export { compareConfig } from "./compare-config.ts";
export { compareVariables, type VariableChanges } from "./compare-variables.ts";
export { contentHash } from "./content-hash.ts";
export {
  type ChangedFile,
  type ComparableFile,
  type DiffStats,
  diffFiles,
  type FileDiff,
  findChangedFiles,
  hasOtherBytes,
} from "./diff.ts";
export {
  countLines,
  type DiffHunk,
  type DiffLine,
  findChanges,
  splitLines,
} from "./diff-lines.ts";
export { type CheckedFile, checkFiles, type FileInput, maxFiles } from "./files.ts";
export { inTurn } from "./in-turn.ts";
export { entryFiles, promptKinds } from "./kinds.ts";
export { mediaType } from "./media-type.ts";
export { isRepository, pathProblems } from "./paths.ts";
export type { Problem, Warning } from "./problem.ts";
export { comparableText, fingerprint } from "../imports/text/fingerprint.ts";
