import { ArchiveError } from "./archive.ts";

/** Bytes that come in chunks, taken in portions. */
export class Bytes {
  /** How many were taken. */
  position = 0;
  #chunk: Uint8Array = new Uint8Array();
  readonly #chunks: AsyncIterator<Uint8Array>;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#chunk.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) return true;
      this.#chunk = next.value;
    }
    return false;
  }

  async take(length: number): Promise<Uint8Array> {
    if (this.#chunk.length >= length) return this.#some(length);
    const taken = new Uint8Array(length);
    for (let at = 0; at < length; ) {
      const part = await this.#next(length - at);
      taken.set(part, at);
      at += part.length;
    }
    return taken;
  }

  /** What comes until a position, as it comes. */
  async *until(end: number): AsyncGenerator<Uint8Array> {
    while (this.position < end) yield this.#next(end - this.position);
  }

  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; ) left -= (await this.#next(left)).length;
  }

  /** Until more than `most` were skipped; returns how many. */
  async skipAll(most: number): Promise<number> {
    let count = 0;
    while (count <= most && !(await this.isAtEnd())) count += this.#some(this.#chunk.length).length;
    return count;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #next(most: number): Promise<Uint8Array> {
    if (await this.isAtEnd()) throw new ArchiveError("It is damaged: it ends within an entry.");
    return this.#some(Math.min(most, this.#chunk.length));
  }

  #some(length: number): Uint8Array {
    const part = this.#chunk.subarray(0, length);
    this.#chunk = this.#chunk.subarray(length);
    this.position += length;
    return part;
  }
}
