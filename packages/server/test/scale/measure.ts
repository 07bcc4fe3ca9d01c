/** Works once, and gives how long that took in milliseconds. */
export type Timed = (round: number) => Promise<number>;

/** The value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** How much slower ours is, and how slow it may be. */
export interface Figure {
  name: string;
  /** In milliseconds. */
  base: number;
  ours: number;
  ratio: number;
  limit: number;
}

type Sides<T> = Record<"base" | "ours", T>;

/** What is compared: medians, or the time that one in twenty takes longer than. */
type Share = "median" | "p95";

/**
 * Measures both sides in turns, so that a slow moment of the machine meets both. A figure over its limit is measured once more,
 * for longer, before it counts.
 */
export async function compare(
  name: string,
  sides: Sides<Timed>,
  { rounds, limit, share = "median" }: { rounds: number; limit: number; share?: Share },
): Promise<Figure> {
  const measure = async (rounds: number) => figureOf(name, await inTurns(sides, rounds), { limit, share });
  const figure = await measure(rounds);
  return figure.ratio > limit ? measure(rounds * 2) : figure;
}

/** The first rounds warm up and do not count. */
async function inTurns(sides: Sides<Timed>, rounds: number): Promise<Sides<number[]>> {
  const times = { base: [] as number[], ours: [] as number[] };
  for (let round = -Math.min(5, rounds); round < rounds; round++) {
    const order = round % 2 === 0 ? (["base", "ours"] as const) : (["ours", "base"] as const);
    for (const side of order) {
      const ms = await sides[side](Math.abs(round));
      if (round >= 0) times[side].push(ms);
    }
  }
  return times;
}

/** Medians are compared round by round: a round is short, and the machine about as busy for both sides. */
function figureOf(
  name: string,
  { base, ours }: Sides<number[]>,
  { limit, share }: { limit: number; share: Share },
): Figure {
  if (share === "p95") {
    const [slow, slower] = [quantile(base, 0.95), quantile(ours, 0.95)];
    return { name, base: slow, ours: slower, ratio: slower / slow, limit };
  }
  const ratio = median(ours.map((ms, round) => ms / base[round]!));
  return { name, base: median(base), ours: median(ours), ratio, limit };
}
