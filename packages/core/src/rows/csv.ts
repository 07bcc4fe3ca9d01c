import { type Cut, RowError, Rows, type Start } from "./rows.ts";

/** A row of a CSV file, with the number of its first line. */
export interface CsvRow {
  line: number;
  cells: string[];
}

/** A file can be one row of millions of commas. */
const maxCells = 200;

/**
 * Reads CSV (RFC 4180) row by row. An empty line has no cells. Lines end with CRLF, LF or CR. A quote inside an unquoted cell is
 * text. `add` also throws a RowError for a quote that never closes, text after a closing quote, and more than 200 cells in a row.
 */
export const csvRows = (): Rows<CsvRow> => new Rows(rowAt);

function rowAt(text: string, { at: start, line, isLast }: Start): Cut<CsvRow> | undefined {
  const cells: string[] = [];
  let at = start;
  let lines = 1;
  for (let isOpen = !isLineEnd(text[at]); isOpen; ) {
    const place = line + lines - 1;
    const cell = text[at] === '"' ? quotedCell(text, at, place) : plainCell(text, at);
    if (!isLast && cell.end >= text.length) return undefined;
    if (cell.end > text.length) throw new RowError(place, "A quote opens here and never closes");
    cells.push(cell.text);
    if (cells.length > maxCells) throw new RowError(place, `A row can have ${maxCells} cells`);
    lines += cell.lines;
    at = cell.end;
    isOpen = text[at] === ",";
    if (isOpen) at += 1;
  }
  // A line feed may follow in the next piece.
  if (!isLast && text[at] === "\r" && at + 1 === text.length) return undefined;
  return { row: { line, cells }, end: at + (text.startsWith("\r\n", at) ? 2 : 1), lines };
}

const isLineEnd = (character: string | undefined) => character === "\n" || character === "\r";

const quote = 0x22;

interface Cell {
  text: string;
  /** The index after it. */
  end: number;
  /** How many lines end in it. */
  lines: number;
}

function plainCell(text: string, start: number): Cell {
  const end = /[,\r\n]|$/g;
  end.lastIndex = start;
  const at = end.exec(text)?.index ?? text.length;
  return { text: text.slice(start, at), end: at, lines: 0 };
}

/** If no quote closes it, it ends after the text. */
function quotedCell(text: string, start: number, line: number): Cell {
  let close = start + 1;
  // Step by step: a search for each of a million quotes takes ten times as long.
  for (; close < text.length; close += 1) {
    if (text.charCodeAt(close) !== quote) continue;
    if (text.charCodeAt(close + 1) !== quote) break;
    close += 1;
  }
  if (close >= text.length) return { text: "", end: text.length + 1, lines: 0 };
  const cell = text.slice(start + 1, close).replaceAll('""', '"');
  const lines = cell.match(/\r\n|\r|\n/g)?.length ?? 0;
  const next = text[close + 1];
  if (next !== undefined && next !== "," && !isLineEnd(next)) {
    throw new RowError(
      line + lines,
      "Text follows a closing quote. Write a quote inside a quoted cell twice",
    );
  }
  return { text: cell, end: close + 1, lines };
}
