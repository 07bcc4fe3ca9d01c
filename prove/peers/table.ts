/** Prints rows under a title, each column as wide as it has to be; what looks like a number stands to the right. */
export function printTable(title: string, rows: readonly (readonly string[])[]): void {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        /^[\d,.]+$/.test(cell) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join("   ")
      .trimEnd(),
  );
  console.log(`\n${title}\n${lines.join("\n")}`);
}

/** Says whether ours, the first, which is 1, is the fastest. */
export function printVerdict(ratios: Readonly<Record<string, number>>): void {
  const isAhead = Object.values(ratios).every((ratio) => ratio <= 1);
  console.log(isAhead ? "✓ ours is ahead" : "✗ ours is behind");
}
