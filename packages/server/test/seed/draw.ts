/** A step that leaves no bit of a number where it was. */
function stir(number: number): number {
  let bits = Math.imul(number ^ (number >>> 16), 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 15), 0x85ebca77);
  return bits ^ (bits >>> 16);
}

/**
 * Numbers that look random and are the same whenever the path is. Each thing has a path of its own, so that any one of
 * them can be drawn again, in any order, and none need be kept.
 */
export class Draw {
  #state: number;

  constructor(...path: readonly number[]) {
    this.#state = path.reduce((state, step) => stir(state + step + 0x51ed27), 1);
  }

  /** From 0 up to 1, which it never is. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    return (stir(this.#state) >>> 0) / 2 ** 32;
  }

  /** Whether something happens that does so in this share of cases. */
  happens(share: number): boolean {
    return this.fraction() < share;
  }

  /** A whole number from 0 up to the limit, which it never is. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  /** A whole number from 0 up to the limit, the second half as often as the first, the third a third as often. */
  skewed(limit: number): number {
    return Math.floor((limit + 1) ** this.fraction()) - 1;
  }

  /** One of several, each as often as its weight says; the weights add up to 100. */
  weighted<T>(weights: readonly (readonly [T, number])[]): T {
    let left = this.fraction() * 100;
    for (const [value, weight] of weights) {
      if (left < weight) return value;
      left -= weight;
    }
    return weights[0]![0];
  }
}

const digits = "0123456789abcdefghjkmnpqrstvwxyz";

function base32(number: number, length: number): string {
  let text = "";
  for (let rest = number; text.length < length; rest = Math.floor(rest / 32)) text = digits[rest % 32] + text;
  return text;
}

/** An id as `new_id` makes them: by time, then by something scrambled; `nth` keeps those of one prefix apart. */
export const idOf = (prefix: string, atMs: number, nth: number): string =>
  `${prefix}_${base32(atMs, 10)}${base32(stir(nth) >>> 0, 8)}${base32(nth, 8)}`;
