/** What a benchmark found: both sides in the same unit, and how many times the floor we take, or reach. */
export interface Finding {
  floor: number;
  ours: number;
  unit: "ms" | "/s";
  /** The median of the ratios of rounds, where there are rounds. */
  ratio?: number;
  limit?: string;
  /** What `floor` is; the least that could be done unless it says otherwise. */
  against?: "floor" | "idle" | "short";
}

export function print(
  name: string,
  { floor, ours, unit, ratio = ours / floor, limit, against = "floor" }: Finding,
): void {
  const value = (number: number) => {
    const text = unit === "ms" ? number.toFixed(1) : String(Math.round(number));
    return `${text.padStart(7)} ${unit}`;
  };
  const said = limit === undefined ? name : `${name} (limit ${limit})`;
  console.log(
    `${said.padEnd(72)} ${against.padEnd(5)} ${value(floor)}  ours ${value(ours)}  ratio ${ratio.toFixed(2)}`,
  );
}

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
