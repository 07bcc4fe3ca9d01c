import { diffArrays } from "diff";

/** One line of a hunk. */
export interface DiffLine {
  type: "context" | "add" | "del";
  /** The line without its line feed. The carriage return of a CRLF is part of it. */
  text: string;
  /** Set, to true, on the last line of a file that does not end in a line feed. */
  noNewline?: true;
}

/** Changed lines with their context. Starts count from 1. For a side without lines, the start is the line before. */
export interface DiffHunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: DiffLine[];
}

/** Lines that were replaced by others; either side can be empty. From `start`, counted from 0, up to `end`. */
export interface Change {
  oldStart: number;
  oldEnd: number;
  newStart: number;
  newEnd: number;
}

/**
 * The shortest edit is searched up to this length. The search takes the square of it: some 30 ms at most. Lines that only
 * one side has are removed before, and do not count.
 */
const maxEditLength = 500;

/** Splits text after each line feed. A line keeps its line feed, so a last line without one differs. */
export const splitLines = (text: string): string[] => text.match(/[^\n]+\n?|\n/g) ?? [];

/** The number of lines that `diffLines` finds in a text. */
export function countLines(text: string): number {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/**
 * Compares two texts line by line. The hunks are always correct, and usually the shortest. If the texts have much in common,
 * but in another order, one change replaces everything between the first and the last.
 */
export function diffLines(
  oldText: string,
  newText: string,
  context: number,
): { additions: number; deletions: number; hunks: DiffHunk[] } {
  const before = splitLines(oldText);
  const after = splitLines(newText);
  const changes = findChanges(before, after);
  return {
    additions: changes.reduce((sum, { newStart, newEnd }) => sum + newEnd - newStart, 0),
    deletions: changes.reduce((sum, { oldStart, oldEnd }) => sum + oldEnd - oldStart, 0),
    hunks: groupChanges(changes, context).map((group) => toHunk(group, before, after, context)),
  };
}

/** Finds the replaced lines: they lie between the lines that stay. */
export function findChanges(before: readonly string[], after: readonly string[]): Change[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const middle = { head, oldEnd: before.length - tail, newEnd: after.length - tail };
  const changes: Change[] = [];
  let oldStart = head;
  let newStart = head;
  for (const [oldEnd, newEnd] of [
    ...stayingLines(before, after, middle),
    [middle.oldEnd, middle.newEnd] as const,
  ]) {
    if (oldEnd > oldStart || newEnd > newStart) changes.push({ oldStart, oldEnd, newStart, newEnd });
    oldStart = oldEnd + 1;
    newStart = newEnd + 1;
  }
  return changes;
}

/** The old and new indexes of the lines in the middle that stay; empty if the search takes too long. */
function stayingLines(
  before: readonly string[],
  after: readonly string[],
  { head, oldEnd, newEnd }: { head: number; oldEnd: number; newEnd: number },
): (readonly [number, number])[] {
  // Compares numbers instead of lines: long lines with the same beginning are slow to compare.
  const numbers = new Map<string, number>();
  for (const line of after.slice(head, newEnd)) if (!numbers.has(line)) numbers.set(line, numbers.size);
  const number = (line: string | undefined) => numbers.get(line ?? "") ?? -1;
  const old = indexesFrom(head, oldEnd).filter((index) => number(before[index]) !== -1);
  const oldNumbers = old.map((index) => number(before[index]));
  const onBothSides = new Set(oldNumbers);
  const now = indexesFrom(head, newEnd).filter((index) => onBothSides.has(number(after[index])));
  const newNumbers = now.map((index) => number(after[index]));

  const staying: [number, number][] = [];
  let [oldIndex, newIndex] = [0, 0];
  for (const { added, removed, count } of diffArrays(oldNumbers, newNumbers, { maxEditLength }) ?? []) {
    if (!added && !removed) {
      for (let step = 0; step < count; step += 1) {
        staying.push([old[oldIndex + step] as number, now[newIndex + step] as number]);
      }
    }
    if (!added) oldIndex += count;
    if (!removed) newIndex += count;
  }
  return staying;
}

const indexesFrom = (start: number, end: number) =>
  Array.from({ length: end - start }, (_, index) => start + index);

/** Changes whose context touches share a hunk. */
function groupChanges(changes: readonly Change[], context: number): Change[][] {
  const groups: Change[][] = [];
  let lastEnd = -Infinity;
  for (const change of changes) {
    if (change.oldStart - lastEnd <= 2 * context) groups.at(-1)?.push(change);
    else groups.push([change]);
    lastEnd = change.oldEnd;
  }
  return groups;
}

function toHunk(
  group: readonly Change[],
  before: readonly string[],
  after: readonly string[],
  context: number,
): DiffHunk {
  const [first, last] = [group[0], group.at(-1)] as [Change, Change];
  const lead = Math.min(context, first.oldStart);
  const trail = Math.min(context, before.length - last.oldEnd);
  const lines: DiffLine[] = [];
  let index = first.oldStart - lead;
  for (const { oldStart, oldEnd, newStart, newEnd } of group) {
    lines.push(...asLines("context", before.slice(index, oldStart)));
    lines.push(...asLines("del", before.slice(oldStart, oldEnd)));
    lines.push(...asLines("add", after.slice(newStart, newEnd)));
    index = oldEnd;
  }
  lines.push(...asLines("context", before.slice(index, index + trail)));
  const oldLines = last.oldEnd + trail - (first.oldStart - lead);
  const newLines = last.newEnd + trail - (first.newStart - lead);
  return {
    oldStart: first.oldStart - lead + (oldLines > 0 ? 1 : 0),
    oldLines,
    newStart: first.newStart - lead + (newLines > 0 ? 1 : 0),
    newLines,
    lines,
  };
}

const asLines = (type: DiffLine["type"], lines: readonly string[]): DiffLine[] =>
  lines.map((line) =>
    line.endsWith("\n") ? { type, text: line.slice(0, -1) } : { type, text: line, noNewline: true },
  );
