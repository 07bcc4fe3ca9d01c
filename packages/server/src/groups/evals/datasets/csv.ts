/** A row of a CSV file, with the number of its first line. */
export interface CsvRow {
  line: number;
  cells: string[];
}

/** Where a file stops being CSV. */
export class CsvError extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** A file can be one row of millions of commas. */
const maxCells = 200;

/**
 * Reads CSV (RFC 4180) row by row. An empty line has no cells. Lines end with CRLF, LF or CR. A quote inside an unquoted cell is
 * text.
 * @throws {CsvError} for a quote that never closes, text after a closing quote, and more than 200 cells in a row.
 */
export function* readCsv(text: string): Generator<CsvRow> {
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const row: CsvRow = { line, cells: [] };
    for (let isOpen = !isLineEnd(text[at]); isOpen; ) {
      const cell = text[at] === '"' ? quotedCell(text, at, line) : plainCell(text, at);
      row.cells.push(cell.text);
      if (row.cells.length > maxCells) throw new CsvError(line, `A row can have ${maxCells} cells`);
      line += cell.lines;
      at = cell.end;
      isOpen = text[at] === ",";
      if (isOpen) at += 1;
    }
    at += text.startsWith("\r\n", at) ? 2 : 1;
    line += 1;
    yield row;
  }
}

const isLineEnd = (character: string | undefined) => character === "\n" || character === "\r";

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

function quotedCell(text: string, start: number, line: number): Cell {
  let close = text.indexOf('"', start + 1);
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  if (close === -1) throw new CsvError(line, "A quote opens here and never closes");
  const cell = text.slice(start + 1, close).replaceAll('""', '"');
  const lines = cell.match(/\r\n|\r|\n/g)?.length ?? 0;
  const next = text[close + 1];
  if (next !== undefined && next !== "," && !isLineEnd(next)) {
    throw new CsvError(
      line + lines,
      "Text follows a closing quote. Write a quote inside a quoted cell twice",
    );
  }
  return { text: cell, end: close + 1, lines };
}
