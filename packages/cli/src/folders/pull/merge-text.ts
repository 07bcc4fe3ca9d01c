import { findChanges, splitLines } from "@promptreg/core/content";

/** The lines that stand around a conflict. */
export interface Marks {
  open: string;
  middle: string;
  close: string;
}

/**
 * Merges what two sides made of a text, line by line, as diff3 does: what one side alone changed is taken, and what both
 * changed alike; else both stand there, between marks. The time is bounded as that of a diff: where a side has little
 * left of the base, more is marked than would have to be.
 */
export function mergeText(
  texts: { base: string; ours: string; theirs: string },
  marks: Marks,
): { text: string; hasConflicts: boolean } {
  const base = splitLines(texts.base);
  const sides = [splitLines(texts.ours), splitLines(texts.theirs)] as const;
  const parts: string[] = [];
  let hasConflicts = false;
  let at = 0;
  for (const { start, end, ours, theirs } of regionsOf(base, sides)) {
    const original = base.slice(start, end).join("");
    const [here, there] = [ours.join(""), theirs.join("")];
    const isConflict = here !== original && there !== original && here !== there;
    parts.push(base.slice(at, start).join(""));
    parts.push(isConflict ? bothOf(ours, theirs, marks) : here === original ? there : here);
    hasConflicts ||= isConflict;
    at = end;
  }
  parts.push(base.slice(at).join(""));
  return { text: parts.join(""), hasConflicts };
}

/** Lines of the base, from `start` up to `end`, that a side changed, and what stands there on both sides. */
interface Region {
  start: number;
  end: number;
  ours: string[];
  theirs: string[];
}

type Sides = readonly [ours: readonly string[], theirs: readonly string[]];

/** Changes of both sides that touch are one region. */
export function* regionsOf(base: readonly string[], sides: Sides): Generator<Region> {
  // How far the lines of a side have moved against those of the base.
  const sought = sides.map((lines) => ({ changes: findChanges(base, lines), next: 0, shift: 0 }));
  const nextOf = ({ changes, next }: (typeof sought)[number]) => changes[next]?.oldStart ?? Infinity;
  for (let start = 0; (start = Math.min(...sought.map(nextOf))) < Infinity; ) {
    const from = sought.map(({ shift }) => start + shift);
    let end = start;
    for (let side = sought[0]; (side = sought.find((one) => nextOf(one) <= end)); side.next += 1) {
      const { oldEnd = end, newEnd = end } = side.changes[side.next] ?? {};
      end = Math.max(end, oldEnd);
      side.shift = newEnd - oldEnd;
    }
    const [ours = [], theirs = []] = sides.map((lines, side) =>
      lines.slice(from[side], end + (sought[side]?.shift ?? 0)),
    );
    yield { start, end, ours, theirs };
  }
}

/** What both sides have, with marks around that in which they differ. */
function bothOf(ours: readonly string[], theirs: readonly string[], marks: Marks): string {
  const changes = findChanges(ours, theirs);
  const [first, last] = [changes[0], changes.at(-1)];
  const end = (ours[0] ?? theirs[0] ?? "").endsWith("\r\n") ? "\r\n" : "\n";
  const closed = (lines: readonly string[]) =>
    lines.map((line) => (line.endsWith("\n") ? line : line + end)).join("");
  return [
    ...ours.slice(0, first?.oldStart),
    `${marks.open}${end}`,
    closed(ours.slice(first?.oldStart, last?.oldEnd)),
    `${marks.middle}${end}`,
    closed(theirs.slice(first?.newStart, last?.newEnd)),
    `${marks.close}${end}`,
    ...ours.slice(last?.oldEnd),
  ].join("");
}
