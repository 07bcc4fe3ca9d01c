/** Works once, and gives how long that took in milliseconds. */
export type Timed = (round: number) => Promise<number>;

/** The value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Both sides in turns, so that a slow moment of the machine meets both. The first rounds warm up and do not count. */
export async function inTurns(
  sides: Record<"base" | "ours", Timed>,
  rounds: number,
): Promise<Record<"base" | "ours", number[]>> {
  const times = { base: [] as number[], ours: [] as number[] };
  const warmUp = Math.min(5, rounds);
  for (let round = -warmUp; round < rounds; round++) {
    const order = round % 2 === 0 ? (["base", "ours"] as const) : (["ours", "base"] as const);
    for (const side of order) {
      const ms = await sides[side](Math.abs(round));
      if (round >= 0) times[side].push(ms);
    }
  }
  return times;
}

/** How much slower ours is, and how slow it may be. */
export interface Figure {
  name: string;
  base: number;
  ours: number;
  limit: number;
}

export const ratioOf = ({ base, ours }: Figure): number => ours / base;

/**
 * Compares a quantile of both sides. One over its limit is measured once more before that counts, with twice the rounds.
 */
export async function compare(
  name: string,
  sides: Record<"base" | "ours", Timed>,
  { rounds, limit, share = 0.5 }: { rounds: number; limit: number; share?: number },
): Promise<Figure> {
  const measure = async (rounds: number): Promise<Figure> => {
    const times = await inTurns(sides, rounds);
    return { name, base: quantile(times.base, share), ours: quantile(times.ours, share), limit };
  };
  const figure = await measure(rounds);
  return ratioOf(figure) > limit ? measure(rounds * 2) : figure;
}
