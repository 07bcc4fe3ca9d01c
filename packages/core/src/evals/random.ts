const rotate = (word: number, by: number) => (word << by) | (word >>> (32 - by));

/**
 * A source of words of 32 random bits: xoshiro128** (Blackman, Vigna 2018). The seed is fixed, so that the same results
 * have the same verdict everywhere.
 */
export function randomWords(): () => number {
  let a = 0x9e3779b9;
  let b = 0x243f6a88;
  let c = 0xb7e15162;
  let d = 0x6a09e667;
  return () => {
    const word = Math.imul(rotate(Math.imul(b, 5), 7), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return word >>> 0;
  };
}
