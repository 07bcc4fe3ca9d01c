import { maxFiles, maxVersionBytes } from "./files.ts";
import { comparePaths, pathProblems } from "./paths.ts";

/** A file as a merge compares it: by mode and digest, without its content. */
export interface MergeableFile {
  mode: "100644" | "100755";
  sha256: string;
  /** In bytes. */
  size: number;
}

/** A file that is not the same in all three versions. It is absent where it does not exist. */
export interface DivergedFile {
  path: string;
  base?: MergeableFile | undefined;
  target?: MergeableFile | undefined;
  source?: MergeableFile | undefined;
}

/** Three versions: what differs between them, and what all three have. */
export interface ThreeVersions {
  diverged: readonly DivergedFile[];
  same: { paths: readonly string[]; bytes: number };
}

/** A file that keeps a merge from being made. */
export interface MergeConflict {
  path: string;
  code: "changed_twice" | "invalid_file" | "payload_too_large";
  message: string;
}

/** The paths of a merged version, by the side that has each. */
export interface MergedFiles {
  /** With the files that are the same everywhere. */
  fromTarget: string[];
  fromSource: string[];
  /** In the order of their paths. With conflicts, nothing can be merged. */
  conflicts: MergeConflict[];
}

const isSame = (a?: MergeableFile, b?: MergeableFile) => a?.sha256 === b?.sha256 && a?.mode === b?.mode;

/**
 * Merges two versions that have a common base, file by file. A file is a whole, with its mode. Where both sides changed one
 * in different ways, `theirs` takes that of the source. Each side obeys the rules of versions by itself; both together can
 * break those of paths and sizes, which no strategy settles.
 */
export function mergeFiles(
  { diverged, same }: ThreeVersions,
  strategy: "auto" | "theirs" = "auto",
): MergedFiles {
  const taken = { target: [] as DivergedFile[], source: [] as DivergedFile[] };
  const conflicts: MergeConflict[] = [];
  for (const file of diverged) {
    const isOurs = isSame(file.target, file.source) || isSame(file.base, file.source);
    if (!isOurs && !isSame(file.base, file.target) && strategy === "auto") conflicts.push(changedTwice(file));
    const side = isOurs ? "target" : "source";
    if (file[side]) taken[side].push(file);
  }
  conflicts.push(...pathConflicts(same.paths, taken), ...sizeConflicts(same, taken));
  return {
    fromTarget: [...same.paths, ...taken.target.map(({ path }) => path)],
    fromSource: taken.source.map(({ path }) => path),
    conflicts: conflicts.sort(comparePaths),
  };
}

type Taken = Record<"target" | "source", readonly DivergedFile[]>;

function changedTwice({ path, base, target, source }: DivergedFile): MergeConflict {
  const did = (file?: MergeableFile) => (!file ? "deleted" : !base ? "added" : "changed");
  return {
    path,
    code: "changed_twice",
    message: `The prompt ${did(target)} ${path}, and the proposal ${did(source)} it differently.`,
  };
}

/** Paths that only together break a rule. If one side has all of them, they are valid. */
function pathConflicts(same: readonly string[], { target, source }: Taken): MergeConflict[] {
  if (target.every((file) => file.source) || source.every((file) => file.target)) return [];
  const paths = [...same, ...target.map(({ path }) => path), ...source.map(({ path }) => path)];
  return [...pathProblems(paths)].map(([index, problem]) => {
    const path = paths[index] ?? "";
    return { path, code: "invalid_file", message: `After the merge, ${path} ${problem}.` };
  });
}

/** If the merged version is too large, every file that the source adds or changes is in conflict. */
function sizeConflicts(same: ThreeVersions["same"], { target, source }: Taken): MergeConflict[] {
  const sizes = [...target.map((file) => file.target), ...source.map((file) => file.source)];
  const bytes = sizes.reduce((sum, file) => sum + file!.size, same.bytes);
  const isTooMany = same.paths.length + sizes.length > maxFiles;
  if (!isTooMany && bytes <= maxVersionBytes) return [];
  const limit = isTooMany ? `${maxFiles} files` : "10 MiB over all files";
  const message = `After the merge, there would be more than ${limit}, the most for a version.`;
  return source.map(({ path }) => ({ path, code: "payload_too_large", message }));
}
