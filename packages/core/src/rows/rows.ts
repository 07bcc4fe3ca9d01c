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

  *add(piece: string, { isLast = false } = {}): Generator<Row> {
    this.#text += piece;
    // To look for the end of a long row in each piece would take the square of its length.
    if (!isLast && this.#text.length < this.#enough) return;
    const text = this.#text;
    let at = 0;
    while (at < text.length) {
      const cut = this.#rowAt(text, { at, line: this.#line, isLast });
      if (cut === undefined) break;
      at = cut.end;
      this.#line += cut.lines;
      yield cut.row;
    }
    this.#text = text.slice(at);
    this.#enough = 2 * this.#text.length;
  }
}
