import { stripVTControlCharacters } from "node:util";
import measure from "fast-string-truncated-width";

const gap = 2;
const narrowest = 8;
/** What is cut to less says nothing, if there is another way. */
const readable = 12;
const id = /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}$/;
const address = /^[a-z0-9-]+\/[a-z0-9-]+(@[\w.-]+)?$/;

/**
 * Prints rows under one another. Within a width the widest columns are cut until all fit, but not ids, nor addresses where no id names
 * the row, nor other columns that are to stay whole: half of one is worth nothing. Where these leave the others no room, they stand below
 * their rows. Without a width every cell stands whole, with tabs between them, as other programs want it.
 * @param isKept which columns are to stay whole beside these.
 */
export function printTable(
  rows: readonly Row[],
  width: number | undefined,
  isKept: readonly boolean[] = [],
): string {
  if (width === undefined) return rows.map((row) => row.join("\t")).join("\n");
  const isId = columnsWith(id, rows);
  const isNamed = isId.includes(true) ? isId : columnsWith(address, rows);
  const isWhole = isNamed.map((is, column) => is || isKept[column] === true);
  const { lines, isNarrow } = align(rows, width, isWhole);
  if (!isNarrow || !isWhole.includes(true) || !isWhole.includes(false)) return lines.join("\n");
  const pick = (isWanted: boolean) =>
    rows.map((row) => row.filter((_, column) => isWhole[column] === isWanted));
  const above = align(pick(false), width, []).lines;
  const below = align(pick(true), Number.POSITIVE_INFINITY, []).lines;
  return above.map((line, index) => `${line}\n  ${below[index]}`).join("\n");
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
  const wanted = columnsOf(rows).map((cells) => Math.max(...cells.map(widthOf)));
  const widths = [...wanted];
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
  const isNarrow = widths.some((one, column) => one < Math.min(readable, wanted[column] ?? 0));
  return { lines, isNarrow: over > 0 || isNarrow };
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
