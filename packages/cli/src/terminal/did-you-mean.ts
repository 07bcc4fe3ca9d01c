/** The name that was most likely meant; undefined when none is near. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((candidate) => ({ candidate, edits: countEdits(name.slice(0, 100), candidate) }))
    .sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  return best && best.edits <= Math.max(2, best.candidate.length / 4) ? best.candidate : undefined;
}

/** How many letters to insert, delete or replace to make one name of the other. */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const replaced = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** A sentence for whoever mistyped: empty when nothing is near. */
export function didYouMean(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  return near === undefined ? "" : ` Did you mean ${near}?`;
}
