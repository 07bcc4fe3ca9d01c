import { RowError, Rows } from "../../rows/index.ts";
import { ImportError } from "../detector.ts";

/** One item is parsed as a whole, so it must fit into memory several times. */
const maxItemBytes = 32 * 1024 * 1024;
const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Gives the items of a JSON list as its bytes come; none if the text is no list.
 * @throws {ImportError} if it is not JSON, or ends in the middle.
 */
export async function* itemsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator {
  const list = new ListCutter();
  for await (const chunk of chunks) {
    yield* list.read(chunk);
    if (list.isOver) return;
  }
  list.end();
}

/** Cuts a list into the texts between its commas. */
class ListCutter {
  isOver = false;
  private depth = 0;
  private isInText = false;
  private isEscaped = false;
  private kept: Uint8Array[] = [];
  private keptBytes = 0;
  private count = 0;

  *read(chunk: Uint8Array): Generator {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.isInText) {
        if (this.isEscaped) this.isEscaped = false;
        else if (byte === backslash) this.isEscaped = true;
        else if (byte === quote) this.isInText = false;
        continue;
      }
      if (this.depth === 0) {
        if (isBlank(byte)) continue;
        if (byte !== openList) {
          this.isOver = true;
          return;
        }
        start = at + 1;
      }
      if (byte === quote) this.isInText = true;
      else if (byte === openList || byte === openObject) this.depth++;
      else if (byte === closeList || byte === closeObject) this.depth--;
      if (this.depth > 1 || (this.depth === 1 && byte !== comma)) continue;
      this.keep(chunk.subarray(start, at));
      yield* this.take();
      start = at + 1;
      if (this.depth === 0) {
        this.isOver = true;
        return;
      }
    }
    if (this.depth > 0) this.keep(chunk.subarray(start));
  }

  /** Takes the end of the file. */
  end(): void {
    if (this.depth > 0) throw new ImportError(`The file ends in the middle of item ${this.count + 1}.`);
  }

  private keep(bytes: Uint8Array): void {
    this.keptBytes += bytes.length;
    if (this.keptBytes > maxItemBytes)
      throw new ImportError(`Item ${this.count + 1} is larger than ${maxItemBytes / 1024 / 1024} MiB.`);
    // The chunk's memory may be used again by whoever reads.
    this.kept.push(bytes.slice());
  }

  private *take(): Generator {
    const text = decode(this.kept);
    this.kept = [];
    this.keptBytes = 0;
    if (text.trim() === "" && this.count === 0 && this.depth === 0) return;
    this.count++;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new ImportError(`Item ${this.count} is not valid JSON.`);
    }
    yield value;
  }
}

/** A byte order mark counts as blank. */
const isBlank = (byte: number) => [0x20, 0x0a, 0x0d, 0x09, 0xef, 0xbb, 0xbf].includes(byte);

function decode(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode();
}

/**
 * Gives the rows of a text as its bytes come. What is not UTF-8 is in them as U+FFFD. A text whose first row cannot be read has none.
 * @throws {ImportError} if a later row cannot be read.
 */
export async function* rowsOf<Row>(chunks: AsyncIterable<Uint8Array>, rows: Rows<Row>): AsyncGenerator<Row> {
  const decoder = new TextDecoder();
  let isFirst = true;
  try {
    for await (const chunk of chunks) {
      for (const row of rows.add(decoder.decode(chunk, { stream: true }))) {
        isFirst = false;
        yield row;
      }
    }
    yield* rows.add(decoder.decode(), { isLast: true });
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    if (!isFirst) throw new ImportError(`Line ${error.line}: ${error.message}.`);
  }
}

/** Refuses a row with bytes that are not UTF-8. */
export const notUtf8 = (text: string, row: string): ImportError | undefined =>
  text.includes("\uFFFD") ? new ImportError("It is not UTF-8. Save the file as UTF-8.", row) : undefined;

/** The lines of a text, with their numbers. */
export const lineRows = () =>
  new Rows<{ line: number; text: string }>((text, { at, line, isLast }) => {
    const feed = text.indexOf("\n", at);
    if (feed === -1 && !isLast) return undefined;
    const end = feed === -1 ? text.length : feed;
    return { row: { line, text: text.slice(at, end) }, end: end + 1, lines: 1 };
  });
