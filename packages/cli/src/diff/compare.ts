import type { Version } from "@promptreg/core";
import { compareVariables, type VariableChanges } from "@promptreg/core/content";
import { type StructuredPatchHunk, structuredPatch } from "diff";

type File = Version["files"][number];

/** How one file changed. `hunks` are those of a unified diff; empty where there is nothing to show line by line. */
export interface FileChange {
  path: string;
  status: "added" | "removed" | "modified";
  binary: boolean;
  modeChanged: boolean;
  additions: number;
  deletions: number;
  /** Whether the comparison was given up, because the two have too little in common. */
  truncated: boolean;
  hunks: StructuredPatchHunk[];
}

export interface Comparison {
  files: FileChange[];
  variables: VariableChanges;
  config: { changed: string[] };
}

/** For all files together: two of a megabyte without a line in common take minutes, and nobody would read it. */
const maxMs = 5000;

/** Compares two versions file by file. */
export function compareVersions(from: Version, to: Version): Comparison {
  const before = new Map(from.files.map((file) => [file.path, file]));
  const after = new Map(to.files.map((file) => [file.path, file]));
  const deadlineMs = performance.now() + maxMs;
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return {
    files: paths.flatMap((path) => compareFiles(path, before.get(path), after.get(path), deadlineMs)),
    variables: compareVariables(from.variables, to.variables),
    config: { changed: changedKeys(from.config, to.config) },
  };
}

function compareFiles(
  path: string,
  before: File | undefined,
  after: File | undefined,
  deadlineMs: number,
): FileChange[] {
  if (before?.sha256 === after?.sha256 && before?.mode === after?.mode) return [];
  const binary = [before, after].some((file) => file?.encoding === "base64");
  const patch = binary
    ? { hunks: [] }
    : structuredPatch(path, path, before?.content ?? "", after?.content ?? "", undefined, undefined, {
        context: 3,
        timeout: Math.max(1, deadlineMs - performance.now()),
      });
  const hunks = (patch?.hunks ?? []).map(atTheirPlace);
  const count = (sign: string) =>
    hunks.flatMap(({ lines }) => lines).filter((line) => line.startsWith(sign)).length;
  return [
    {
      path,
      status: before === undefined ? "added" : after === undefined ? "removed" : "modified",
      binary,
      modeChanged: before !== undefined && after !== undefined && before.mode !== after.mode,
      additions: count("+"),
      deletions: count("-"),
      truncated: patch === undefined,
      hunks,
    },
  ];
}

/** Of a side without lines, a unified diff names the line before; the library does so only when it prints. */
const atTheirPlace = (hunk: StructuredPatchHunk): StructuredPatchHunk => ({
  ...hunk,
  oldStart: hunk.oldLines === 0 ? hunk.oldStart - 1 : hunk.oldStart,
  newStart: hunk.newLines === 0 ? hunk.newStart - 1 : hunk.newStart,
});

function changedKeys(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
}
