import { countLines, type DiffHunk, diffLines } from "./diff-lines.ts";
import { inTurn } from "./in-turn.ts";
import { comparePaths } from "./paths.ts";

/** The fields of a file that a comparison needs, except its text. */
export interface ComparableFile {
  path: string;
  mode: "100644" | "100755";
  /** The digest of its bytes. */
  sha256: string;
  /** `base64` for a binary file, which has no lines. */
  encoding: "utf8" | "base64";
}

/** A file that differs between two versions. If it was added or removed, one side is null. */
export interface ChangedFile<File extends ComparableFile = ComparableFile> {
  /** Its path in the new version; for a removed file, its path in the old one. */
  path: string;
  /** Its path in the old version, if it was renamed. */
  oldPath: string | null;
  status: "added" | "removed" | "modified" | "renamed";
  before: File | null;
  after: File | null;
}

/** How one file changed. */
export interface FileDiff extends Pick<ChangedFile, "path" | "oldPath" | "status"> {
  /** True if either side is binary. No lines are then counted or shown. */
  binary: boolean;
  /** Whether the file became executable or stopped being so. */
  modeChanged: boolean;
  /** The number of new lines. */
  additions: number;
  /** The number of old lines that are gone. */
  deletions: number;
  /** True if the file, or the whole comparison, is too large. All lines then count as replaced and none is shown. */
  truncated: boolean;
  hunks: DiffHunk[];
}

/** The totals of all changes. */
export interface DiffStats {
  /** How many files changed. */
  files: number;
  additions: number;
  deletions: number;
}

/** A file with more lines on either side is not compared line by line. */
const maxFileLines = 5000;
/** The limits over all files of a comparison: lines of the longer sides, UTF-16 units of both, and time. */
const budget = { lines: 20_000, units: 2 * 1024 * 1024, ms: 500 };

/**
 * Finds the files that differ in content, mode or path, in the order of their paths. A removed and an added file with the
 * same bytes count as one renamed file. Several such files are paired in the order of their paths.
 */
export function findChangedFiles<File extends ComparableFile>(
  before: readonly File[],
  after: readonly File[],
): ChangedFile<File>[] {
  const old = new Map(before.map((file) => [file.path, file]));
  const now = new Set(after.map(({ path }) => path));
  const removed = before.filter(({ path }) => !now.has(path)).sort(comparePaths);
  const withEqualBytes = Map.groupBy(removed, ({ sha256 }) => sha256);
  const renamed = new Set<File>();
  const changed: ChangedFile<File>[] = [];
  for (const file of after.toSorted(comparePaths)) {
    const source = old.get(file.path) ?? withEqualBytes.get(file.sha256)?.shift() ?? null;
    if (source === null) changed.push(changedFile("added", null, file));
    else if (source.path !== file.path) {
      renamed.add(source);
      changed.push(changedFile("renamed", source, file));
    } else if (source.sha256 !== file.sha256 || source.mode !== file.mode) {
      changed.push(changedFile("modified", source, file));
    }
  }
  for (const file of removed) if (!renamed.has(file)) changed.push(changedFile("removed", file, null));
  return changed.sort(comparePaths);
}

const changedFile = <File extends ComparableFile>(
  status: ChangedFile["status"],
  before: File | null,
  after: File | null,
): ChangedFile<File> => ({
  path: (after ?? before)?.path ?? "",
  oldPath: status === "renamed" ? (before?.path ?? null) : null,
  status,
  before,
  after,
});

/** Whether a file's bytes changed, not only its name or mode. */
export const hasOtherBytes = ({ before, after }: ChangedFile): boolean => before?.sha256 !== after?.sha256;

/**
 * Compares changed files line by line. `texts` has, by sha256, the text of every file that has other bytes and is not
 * binary. `context` is the number of unchanged lines around a change. Files beyond the limits are `truncated`. Between
 * files, a server can process other requests.
 */
export async function diffFiles(
  changed: readonly ChangedFile[],
  { texts, context = 3 }: { texts: ReadonlyMap<string, string>; context?: number },
): Promise<{ stats: DiffStats; files: FileDiff[] }> {
  const left = { ...budget };
  const files: FileDiff[] = [];
  for (const file of changed) files.push(await inTurn(() => diffFile(file, { texts, context, left })));
  const total = (field: "additions" | "deletions") => files.reduce((sum, file) => sum + file[field], 0);
  return {
    stats: { files: files.length, additions: total("additions"), deletions: total("deletions") },
    files,
  };
}

function diffFile(
  changed: ChangedFile,
  { texts, context, left }: { texts: ReadonlyMap<string, string>; context: number; left: typeof budget },
): FileDiff {
  const { path, oldPath, status, before, after } = changed;
  const binary = before?.encoding === "base64" || after?.encoding === "base64";
  const modeChanged = before !== null && after !== null && before.mode !== after.mode;
  const shape = { path, oldPath, status, binary, modeChanged, additions: 0, deletions: 0, truncated: false };
  if (binary || !hasOtherBytes(changed)) return { ...shape, hunks: [] };
  const oldText = textOf(before, texts);
  const newText = textOf(after, texts);
  const deletions = countLines(oldText);
  const additions = countLines(newText);
  const lines = Math.max(deletions, additions);
  if (lines <= maxFileLines) {
    left.lines -= lines;
    left.units -= oldText.length + newText.length;
  }
  if (lines > maxFileLines || left.lines < 0 || left.units < 0 || left.ms < 0) {
    return { ...shape, additions, deletions, truncated: true, hunks: [] };
  }
  const startedMs = performance.now();
  const lineDiff = diffLines(oldText, newText, context);
  left.ms -= performance.now() - startedMs;
  return { ...shape, ...lineDiff };
}

function textOf(file: ComparableFile | null, texts: ReadonlyMap<string, string>): string {
  if (file === null) return "";
  const text = texts.get(file.sha256);
  if (text === undefined) throw new TypeError(`The text of ${file.path} is needed to compare it.`);
  return text;
}
