import { isShort } from "../short.ts";

/** One thing to measure: it does its work once per call, and is awaited when it answers with a promise. */
export type Work = () => unknown;

export interface CompareOptions {
  /** How often every work takes its turn; the medians of all rounds count. */
  readonly rounds?: number;
  /** About how long one turn lasts, in milliseconds. */
  readonly roundMs?: number;
}

/**
 * Measures the works in turns, so that a slow moment of the machine meets all of them. Prints one row, calls per
 * second and the speed as a ratio to the first, and returns these ratios by name.
 */
export async function compare(
  name: string,
  works: Readonly<Record<string, Work>>,
  { rounds: asked = 51, roundMs = 10 }: CompareOptions = {},
): Promise<Record<string, number>> {
  const rounds = isShort ? 3 : asked;
  const runs = [];
  for (const [label, work] of Object.entries(works)) {
    runs.push({ label, work, calls: await callsWithin(roundMs, work), times: [] as number[] });
  }
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < runs.length; turn++) {
      const run = runs[(round + turn) % runs.length]!;
      run.times.push((await timeOf(run.work, run.calls)) / run.calls);
    }
  }
  const first = runs[0]!.times;
  const ratios: Record<string, number> = {};
  const cells = runs.map(({ label, times }) => {
    ratios[label] = median(times.map((time, round) => first[round]! / time));
    const callsPerSecond = Math.round(1000 / median(times)).toLocaleString("en");
    return `${label} ${callsPerSecond.padStart(9)}/s ${ratios[label].toFixed(2)}`;
  });
  console.log([name.padEnd(24), ...cells].join("   "));
  return ratios;
}

/**
 * Doubles the calls until they fill the time, which warms the work up as well. Three times in a row: a first call that
 * takes long, or a moment in which the machine stands still, must not end it while the work is cold.
 */
async function callsWithin(roundMs: number, work: Work): Promise<number> {
  let calls = 1;
  for (let filled = 0; filled < 3; ) {
    if ((await timeOf(work, calls)) >= roundMs) filled += 1;
    else {
      filled = 0;
      calls *= 2;
    }
  }
  return calls;
}

async function timeOf(work: Work, calls: number): Promise<number> {
  const start = performance.now();
  // Awaiting costs more than a short synchronous work does, so only promises are awaited.
  const isAsync = work() instanceof Promise;
  if (isAsync) for (let call = 0; call < calls; call++) await work();
  else for (let call = 0; call < calls; call++) work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1]!;
}
