/** A row of a text: `end` is the index after it, `lines` how many lines it takes. */
export interface Cut<Row> {
  row: Row;
  end: number;
  lines: number;
}

/** Where a row may begin. `isLast`: nothing follows the text. */
export interface Start {
  at: number;
  line: number;
  isLast: boolean;
}

/** Where a file cannot be read any further. */
export class RowError extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/**
 * In UTF-16 units, several times more than a case can have. A row is read in one go, and a longer one would keep other requests
 * waiting.
 */
export const maxRow = 1024 * 1024;

/** Cuts a text that comes in pieces into rows. */
export class Rows<Row> {
  readonly #rowAt: (text: string, start: Start) => Cut<Row> | undefined;
  #text = "";
  #line = 1;
  #enough = 0;

  /** @param rowAt gives undefined if the text ends before the row does. */
  constructor(rowAt: (text: string, start: Start) => Cut<Row> | undefined) {
    this.#rowAt = rowAt;
  }

  /** @throws {RowError} for a row that is too long. */
  *add(piece: string, { isLast = false } = {}): Generator<Row> {
    this.#text += piece;
    // To look for the end of a long row in each piece would take the square of its length.
    if (!isLast && this.#text.length < this.#enough) return;
    const text = this.#text;
    let at = 0;
    while (at < text.length) {
      const cut = this.#rowAt(text, { at, line: this.#line, isLast });
      if ((cut?.end ?? text.length) - at > maxRow)
        throw new RowError(this.#line, "A row can take 1 MiB of a file");
      if (cut === undefined) break;
      at = cut.end;
      this.#line += cut.lines;
      yield cut.row;
    }
    this.#text = text.slice(at);
    this.#enough = 2 * this.#text.length;
  }
}
