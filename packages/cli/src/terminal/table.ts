import { stripVTControlCharacters } from "node:util";
import measure from "fast-string-truncated-width";

const gap = 2;
const narrowest = 8;
/** An id, or the address of a prompt. */
const name = /^([a-z]{3}_[0-9a-hjkmnp-tv-z]{26}|[a-z0-9-]+\/[a-z0-9-]+(@[\w.-]+)?)$/;

/**
 * Prints rows under one another. Within a width the widest columns are cut until all fit, but not those of ids and addresses, which
 * would be worth nothing; without one every cell stands whole, with tabs between them, as other programs want it.
 */
export function printTable(rows: readonly (readonly string[])[], width: number | undefined): string {
  if (width === undefined) return rows.map((row) => row.join("\t")).join("\n");
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? ""))),
  );
  const isWhole = widths.map((_, column) =>
    rows.some((row) => name.test(stripVTControlCharacters(row[column] ?? ""))),
  );
  for (let over = widths.reduce((sum, one) => sum + one + gap, -gap) - width; over > 0; over -= 1) {
    const widest = Math.max(narrowest, ...widths.filter((_, column) => !isWhole[column]));
    if (widest <= narrowest) break;
    widths[widths.findIndex((one, column) => one === widest && !isWhole[column])] = widest - 1;
  }
  return rows
    .map((row) =>
      row
        .map((cell, column) => fit(cell, widths[column] ?? 0))
        .join(" ".repeat(gap))
        .trimEnd(),
    )
    .join("\n");
}

/** Columns that a text takes on a terminal. */
export const widthOf = (text: string): number => measure(text).width;

function fit(cell: string, width: number): string {
  const excess = widthOf(cell) - width;
  if (excess <= 0) return cell + " ".repeat(-excess);
  // Colours would be cut as well: what is too long goes without.
  const kept = `${cut(stripVTControlCharacters(cell), width - 1)}…`;
  return kept + " ".repeat(Math.max(0, width - widthOf(kept)));
}

/**
 * The beginning of a text, of whole characters as people see them. The library measures right, but cuts scripts other than
 * Latin and Han where it must not.
 */
function cut(text: string, width: number): string {
  let left = width;
  let end = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    end += segment.length;
  }
  return text.slice(0, end);
}
