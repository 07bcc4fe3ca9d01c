import type { FileDiff } from "@promptreg/client";
import { markChanges, type Piece } from "./marks.ts";

type Line = FileDiff["hunks"][number]["lines"][number];

/** Longer lines are no paragraphs: to compare their words would take long, and nobody would read them. */
const mostCharacters = 20_000;

/**
 * Prints the text of each line of a hunk. Where a line of so many characters was replaced, the words that differ are
 * marked: a paragraph is one long line.
 */
export function printWords(
  lines: readonly Line[],
  print: (text: string) => string,
  { mark, from }: { mark: (text: string, type: Line["type"]) => string; from: number },
): string[] {
  const printed = lines.map(({ text }) => print(text));
  for (const [old, fresh] of replacedIn(lines)) {
    const [before = "", now = ""] = [printed[old], printed[fresh]];
    const longest = Math.max(before.length, now.length);
    if (longest < from || longest > mostCharacters) continue;
    const changes = markChanges(before, now);
    if (changes === null) continue;
    const marked = (pieces: readonly Piece[], type: Line["type"]) =>
      pieces.map(({ text, isChanged }) => (isChanged ? mark(text, type) : text)).join("");
    printed[old] = marked(changes.before, "del");
    printed[fresh] = marked(changes.now, "add");
  }
  return printed;
}

/** The lines that stand in the place of others, each by the places of both: of what was replaced together, one by one. */
function replacedIn(lines: readonly Line[]): [old: number, fresh: number][] {
  const pairs: [number, number][] = [];
  const isAt = (index: number, type: Line["type"]) => lines[index]?.type === type;
  for (let start = 0; start < lines.length; start += 1) {
    if (!isAt(start, "del") || isAt(start - 1, "del")) continue;
    let added = start;
    while (isAt(added, "del")) added += 1;
    for (let old = start; old < added && isAt(added + old - start, "add"); old += 1)
      pairs.push([old, added + old - start]);
  }
  return pairs;
}
