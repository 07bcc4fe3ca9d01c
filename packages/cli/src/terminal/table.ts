import { stripVTControlCharacters } from "node:util";
import measure from "fast-string-truncated-width";

const gap = 2;
const narrowest = 8;
const id = /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}$/;
const address = /^[a-z0-9-]+\/[a-z0-9-]+(@[\w.-]+)?$/;

/**
 * Prints rows under one another. Within a width the widest columns are cut until all fit, but not ids, nor addresses where no id names
 * the row: half of one is worth nothing. Where ids leave the others no room, they stand below their rows. Without a width every cell
 * stands whole, with tabs between them, as other programs want it.
 */
export function printTable(rows: readonly Row[], width: number | undefined): string {
  if (width === undefined) return rows.map((row) => row.join("\t")).join("\n");
  const isId = columnsWith(id, rows);
  const hasIds = isId.includes(true);
  const { lines, isWider } = align(rows, width, hasIds ? isId : columnsWith(address, rows));
  if (!isWider || !hasIds || !isId.includes(false)) return lines.join("\n");
  const pick = (isWanted: boolean) => rows.map((row) => row.filter((_, column) => isId[column] === isWanted));
  const above = align(pick(false), width, []).lines;
  return pick(true)
    .map((ids, index) => `${above[index]}\n  ${ids.join(" ".repeat(gap))}`)
    .join("\n");
}

type Row = readonly string[];

/** Which columns have a cell of this form. */
const columnsWith = (form: RegExp, rows: readonly Row[]): boolean[] =>
  columnsOf(rows).map((cells) => cells.some((cell) => form.test(stripVTControlCharacters(cell))));

const columnsOf = (rows: readonly Row[]): string[][] =>
  Array.from({ length: Math.max(0, ...rows.map((row) => row.length)) }, (_, column) =>
    rows.map((row) => row[column] ?? ""),
  );

/** Cuts and fills cells until their columns fit, as far as they may be cut. */
function align(rows: readonly Row[], width: number, isWhole: readonly boolean[]) {
  const widths = columnsOf(rows).map((cells) => Math.max(...cells.map(widthOf)));
  let over = widths.reduce((sum, one) => sum + one + gap, -gap) - width;
  for (; over > 0; over -= 1) {
    const widest = Math.max(narrowest, ...widths.filter((_, column) => !isWhole[column]));
    if (widest <= narrowest) break;
    widths[widths.findIndex((one, column) => one === widest && !isWhole[column])] = widest - 1;
  }
  const lines = rows.map((row) =>
    row
      .map((cell, column) => fit(cell, widths[column] ?? 0))
      .join(" ".repeat(gap))
      .trimEnd(),
  );
  return { lines, isWider: over > 0 };
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
