import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mcNemarMidP } from "./mcnemar.ts";
import { normalCdf } from "./normal.ts";
import { randomWords } from "./random.ts";
import { signFlip as flip } from "./sign-flip.ts";
import { chances, sampleOf } from "./testing.ts";

const signFlip = (values: readonly number[]) => flip(sampleOf(values));
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const differences = (lengths: { minLength: number; maxLength: number }) =>
  fc.array(
    fc.integer({ min: -8, max: 8 }).map((eighths) => eighths / 8),
    lengths,
  );

const weightsOf = (count: number, next: () => number) =>
  Array.from({ length: count }, () => Math.ceil(4 * next()) / 2);

/** The test by its definition: every combination of signs, and how many have a sum as low as the observed one. */
function byDefinition(values: readonly number[]): number {
  const observed = sum(values);
  let p = 0;
  for (let signs = 0; signs < 2 ** values.length; signs++) {
    const flipped = sum(values.map((value, i) => ((signs >> i) & 1 ? -value : value)));
    p += flipped < observed ? 1 : flipped === observed ? 0.5 : 0;
  }
  return p / 2 ** values.length;
}

describe("the sign-flip test", () => {
  test("tries every combination of signs for a few differences", () => {
    fc.assert(
      fc.property(differences({ minLength: 1, maxLength: 9 }), (values) => {
        expect(signFlip(values).pWorse).toBeCloseTo(byDefinition(values), 12);
      }),
    );
  });

  test("flips differences with their weights", () => {
    fc.assert(
      fc.property(differences({ minLength: 1, maxLength: 9 }), fc.integer({ min: 1 }), (values, seed) => {
        const weights = weightsOf(values.length, chances(seed));
        const weighted = values.map((value, i) => value * weights[i]!);
        expect(flip(sampleOf(values, { weights })).pWorse).toBeCloseTo(byDefinition(weighted), 12);
      }),
    );
  });

  test("has weighted means of subsets as its interval", () => {
    // By hand: of the 15 subsets of four, the lowest mean is -1 and the highest 0; 5 % of 15 and a half leave one out on either side.
    const sample = sampleOf([-1, -1, -1, 0], { weights: [1, 2, 3, 4] });
    expect(flip(sample).interval).toEqual([-1, 0]);
    expect(flip(sampleOf([-1, -0.5, 0, 0], { weights: [3, 1, 1, 1] })).interval).toEqual([-1, 0]);
  });

  test.each([5, 40, 600, 700])(
    "says the same of %i differences if all weigh the same, or nothing",
    (length) => {
      const next = chances(length);
      const values = Array.from({ length }, () => Math.round(8 * (next() - 0.55)) / 8);
      const even = flip(sampleOf(values, { weights: values.map(() => 4) }));
      expect(even.pWorse).toBeCloseTo(signFlip(values).pWorse, 12);
      expect(even.interval![0]).toBeCloseTo(signFlip(values).interval![0], 12);
      expect(even.interval![1]).toBeCloseTo(signFlip(values).interval![1], 12);
      const more = [...values, -1, -1];
      const weightless = sampleOf(more, { weights: more.map((_, i) => (i < length ? 1 : 0)) });
      expect(flip(weightless)).toEqual(signFlip(values));
    },
  );

  test("has no interval by the normal approximation if one case has nearly all the weight", () => {
    const values = Array.from({ length: 600 }, (_, i) => (i % 2 ? 0.5 : -0.5));
    const weights = values.map((_, i) => (i === 0 ? 1e6 : 1));
    expect(flip(sampleOf(values, { weights }))).toMatchObject({ interval: null, method: "sign_flip_normal" });
  });

  test("of differences whose squares no number can hold is even by the normal approximation", () => {
    const tiny = Array.from({ length: 501 }, () => -1e-170);
    expect(signFlip(tiny)).toMatchObject({ pWorse: 0.5, method: "sign_flip_normal" });
  });

  test("is McNemar's mid-p where a case breaks or is fixed altogether", () => {
    const flips = (broken: number, fixed: number, same: number) => [
      ...Array.from({ length: broken }, () => -1),
      ...Array.from({ length: fixed }, () => 1),
      ...Array.from({ length: same }, () => 0),
    ];
    for (const [broken, fixed, same, digits] of [
      [5, 1, 4, 12],
      [15, 6, 100, 2],
      [250, 210, 20, 2],
      [255, 210, 50_000, 2],
      [600, 550, 50_000, 3],
    ] as const)
      expect(signFlip(flips(broken, fixed, same)).pWorse).toBeCloseTo(mcNemarMidP(broken, fixed), digits);
  });

  test("says the same of the same differences in another order, each time", () => {
    fc.assert(
      fc.property(differences({ minLength: 13, maxLength: 40 }), (values) => {
        const inOrder = values.toSorted((a, b) => a - b);
        expect(signFlip(inOrder)).toEqual(signFlip(values));
      }),
      { numRuns: 20 },
    );
  });

  test("says the opposite of the opposite differences", () => {
    fc.assert(
      fc.property(differences({ minLength: 1, maxLength: 12 }), (values) => {
        const [one, other] = [signFlip(values), signFlip(values.map((value) => -value))];
        expect(one.pWorse + other.pWorse).toBeCloseTo(1, 12);
        if (one.interval === null) expect(other.interval).toBeNull();
        else {
          expect(one.interval[0]).toBeCloseTo(-other.interval![1], 12);
          expect(one.interval[1]).toBeCloseTo(-other.interval![0], 12);
        }
      }),
    );
  });

  test("is surer the lower the differences are", () => {
    fc.assert(
      fc.property(differences({ minLength: 4, maxLength: 12 }), (values) => {
        const lower = signFlip(values.map((value) => value - 0.25));
        expect(lower.pWorse).toBeLessThanOrEqual(signFlip(values).pWorse);
        expect(lower.interval![1]).toBeCloseTo(signFlip(values).interval![1] - 0.25, 12);
      }),
    );
  });

  test.each([
    ["all combinations", 12],
    ["samples", 30],
    ["the normal approximation", 600],
  ])("finds a drop with %s if its interval ends below zero, and only then", (_, length) => {
    const next = chances(7);
    for (let round = 0; round < 20; round++) {
      const values = Array.from({ length }, () => next() - 0.5 - (0.03 * round) / Math.sqrt(length));
      for (const weights of [undefined, weightsOf(length, next)]) {
        const { pWorse, interval } = flip(sampleOf(values, weights && { weights }));
        expect(Math.sign(interval![1])).toBe(Math.sign(pWorse - 0.05));
      }
    }
  });

  test.each([
    [12, "sign_flip_exact"],
    [13, "sign_flip_sampled"],
    [500, "sign_flip_sampled"],
    [501, "sign_flip_normal"],
  ])("of %i differences is %s", (length, method) => {
    expect(signFlip(Array.from({ length }, (_, nth) => nth + 1)).method).toBe(method);
  });

  test("goes from samples to the normal approximation without a jump", () => {
    const next = chances(11);
    const values = Array.from({ length: 501 }, () => next() - 0.52);
    for (const weights of [values.map(() => 1), weightsOf(values.length, next)]) {
      const sampled = flip(sampleOf(values.slice(1), { weights: weights.slice(1) }));
      const normal = flip(sampleOf(values, { weights }));
      expect([sampled.method, normal.method]).toEqual(["sign_flip_sampled", "sign_flip_normal"]);
      expect(sampled.pWorse).toBeCloseTo(normal.pWorse, 1);
      expect(sampled.interval![0]).toBeCloseTo(normal.interval![0], 2);
      expect(sampled.interval![1]).toBeCloseTo(normal.interval![1], 2);
    }
  });

  test("counts combinations with the same sum half, though sums are rounded", () => {
    expect(signFlip([0.1, 0.2, -0.3]).pWorse).toBe(0.5);
  });

  test("has no interval for fewer than four differences, and that of four is all they are", () => {
    expect(signFlip([-1, -1, -1])).toMatchObject({ pWorse: 1 / 16, interval: null });
    expect(signFlip([-1, -0.5, -0.5, -0.25])).toMatchObject({ pWorse: 1 / 32, interval: [-1, -0.25] });
  });

  test("has an interval that holds the true mean nine times of ten", { tags: "long" }, () => {
    const next = chances(3);
    let held = 0;
    for (let round = 0; round < 200; round++) {
      const [low, high] = signFlip(Array.from({ length: 30 }, () => next() ** 2)).interval!;
      if (low <= 1 / 3 && 1 / 3 <= high) held++;
    }
    expect(held / 200).toBeGreaterThan(0.85);
    expect(held / 200).toBeLessThan(0.95);
  });
});

test("the normal distribution is exact", () => {
  const known = [
    [-9, 0],
    [-6, 9.865876450376946e-10],
    [-3, 0.0013498980316300933],
    [-1.5, 0.06680720126885807],
    [0, 0.5],
    [0.3, 0.6179114221889526],
    [2, 0.9772498680518208],
    [9, 1],
  ] as const;
  for (const [x, p] of known) expect(normalCdf(x)).toBeCloseTo(p, 14);
});

test("random words have every bit set in half of them", () => {
  const next = randomWords();
  const set = Array.from({ length: 32 }, () => 0);
  for (let i = 0; i < 10_000; i++) {
    const word = next();
    for (let bit = 0; bit < 32; bit++) set[bit]! += (word >>> bit) & 1;
  }
  for (const count of set) expect(Math.abs(count - 5000)).toBeLessThan(200);
});
