/** How much of a text is compared: what is equal so far is a duplicate to whoever looks at it. */
const mostCharacters = 8_192;
/** With fewer words, three in a row would say too little. */
const fewWords = 20;
/** How many digests a MinHash has. */
export const permutations = 64;

const word = /[\p{L}\p{N}\p{M}]+/gu;
/** In scripts without spaces each character is a word. */
const unspaced = `[${["Han", "Hira", "Kana", "Thai", "Laoo", "Khmr", "Mymr"].map((name) => `\\p{scx=${name}}`).join("")}]`;
const hasUnspaced = new RegExp(unspaced, "u");
const anyWord = new RegExp(`${unspaced}|(?:(?!${unspaced})[\\p{L}\\p{N}\\p{M}])+`, "gu");

/** Digests of three words in a row each, or of three characters if the text is short: sorted, and each once. */
export function shinglesOf(text: string): Int32Array {
  const start = text.slice(0, mostCharacters);
  const words = start.match(hasUnspaced.test(start) ? anyWord : word) ?? [];
  const digests =
    words.length < fewWords
      ? Int32Array.from(start, (character) => character.codePointAt(0) as number)
      : Int32Array.from(words, digest);
  const shingles = new Int32Array(Math.max(0, digests.length - 2));
  let [first = 0, second = 0] = digests;
  for (let nth = 0; nth < shingles.length; nth += 1) {
    const third = digests[nth + 2] as number;
    shingles[nth] = mix(mix(mix(first) ^ second) ^ third);
    [first, second] = [second, third];
  }
  shingles.sort();
  return shingles.filter((one, nth) => one !== shingles[nth - 1]);
}

/** FNV-1a. */
function digest(piece: string): number {
  let mixed = 0x811c9dc5;
  for (let nth = 0; nth < piece.length; nth += 1)
    mixed = Math.imul(mixed ^ piece.charCodeAt(nth), 0x01000193);
  return mixed;
}

/** The last steps of MurmurHash3: each bit of what goes in changes half of what comes out. */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** Of each permutation what shingles are multiplied with (odd), and what is added. */
const factors = Int32Array.from({ length: permutations }, (_, nth) => mix(2 * nth + 1) | 1);
const terms = Int32Array.from({ length: permutations }, (_, nth) => mix(2 * nth + 2));

/** The least digest under each permutation. Two texts have as many of them in common as they have shingles in common. */
export function minHash(shingles: Int32Array): Int32Array {
  const { length } = shingles;
  return Int32Array.from(factors, (factor, nth) => {
    const term = terms[nth] as number;
    let least = 0x7fffffff;
    for (let at = 0; at < length; at += 1) {
      const permuted = (Math.imul(shingles[at] as number, factor) + term) | 0;
      if (permuted < least) least = permuted;
    }
    return least;
  });
}

/** How many of the shingles of two texts stand in both, from 0 to 1. */
export function jaccard(a: Int32Array, b: Int32Array): number {
  let [inA, inB, both] = [0, 0, 0];
  while (inA < a.length && inB < b.length) {
    const [one, other] = [a[inA] as number, b[inB] as number];
    if (one === other) both += 1;
    if (one <= other) inA += 1;
    if (other <= one) inB += 1;
  }
  return both / (a.length + b.length - both);
}
