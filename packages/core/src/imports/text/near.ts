import { jaccard, minHash, permutations, shinglesOf } from "./shingles.ts";

const bands = 16;
const rows = permutations / bands;
/** How equal two texts are, from 0 to 1, that count as near. */
const near = 0.8;
/** A text is less equal than that to no near one, by its MinHash: its error is 0.05. */
const perhaps = 0.6;
/** Of one text: what is shown of its duplicates, and how many it is compared with to find them. */
const mostFound = 10;
const mostCompared = 50;

/** A text that is nearly the same as another one. */
export interface Near {
  id: string;
  /** How much of what the two say stands in both: from 0.8 to 1. */
  similarity: number;
}

interface Sketch {
  shingles: Int32Array;
  signature: Int32Array;
}
interface Added extends Sketch {
  id: string;
}

/**
 * Finds texts that are nearly equal. Their MinHash tells which ones may be, and what these say is compared. Equal calls give equal
 * results, everywhere. It holds digests of what was added, and no texts.
 */
export class NearIndex {
  readonly #bands = Array.from({ length: bands }, () => new Map<number, Added[]>());

  /** Adds a text, as `comparableText` gives it, and finds those that were added before. */
  add(id: string, text: string): Near[] {
    const sketch = sketchOf(text);
    if (sketch === null) return [];
    const found = this.#find(sketch);
    for (const [band, added] of this.#bands.entries()) {
      const key = keyOf(sketch, band);
      const there = added.get(key);
      if (there === undefined) added.set(key, [{ id, ...sketch }]);
      else there.push({ id, ...sketch });
    }
    return found;
  }

  /** Finds the added texts that a text is nearly equal to, the most similar ones first. */
  find(text: string): Near[] {
    const sketch = sketchOf(text);
    return sketch === null ? [] : this.#find(sketch);
  }

  #find(sketch: Sketch): Near[] {
    const seen = new Set<string>();
    const found: Near[] = [];
    let compared = 0;
    for (const [band, added] of this.#bands.entries()) {
      for (const other of added.get(keyOf(sketch, band)) ?? []) {
        if (compared === mostCompared || found.length === mostFound) break;
        if (seen.has(other.id)) continue;
        seen.add(other.id);
        if (estimate(sketch, other) < perhaps) continue;
        compared += 1;
        const similarity = jaccard(sketch.shingles, other.shingles);
        if (similarity >= near) found.push({ id: other.id, similarity });
      }
    }
    return found.sort((a, b) => b.similarity - a.similarity);
  }
}

function sketchOf(text: string): Sketch | null {
  const shingles = shinglesOf(text);
  return shingles.length === 0 ? null : { shingles, signature: minHash(shingles) };
}

function keyOf({ signature }: Sketch, band: number): number {
  let key = 0;
  for (let row = band * rows; row < (band + 1) * rows; row += 1)
    key = Math.imul(key, 0x01000193) ^ (signature[row] as number);
  return key;
}

function estimate(a: Sketch, b: Sketch): number {
  let equal = 0;
  for (let nth = 0; nth < permutations; nth += 1) if (a.signature[nth] === b.signature[nth]) equal += 1;
  return equal / permutations;
}
