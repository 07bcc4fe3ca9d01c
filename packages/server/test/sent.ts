import type { Sql } from "../src/database/sql.ts";

/** Works, and gives each statement that pools send meanwhile; gives their number. */
export async function watchStatements(
  pools: readonly Sql[],
  onSent: (text: string, parameters: unknown[]) => void,
  work: () => PromiseLike<unknown>,
): Promise<number> {
  const all = pools.map((pool) => (pool as unknown as { options: { debug: unknown } }).options);
  let count = 0;
  const debug = (_: number, text: string, parameters: unknown[]) => {
    count += 1;
    onSent(text, parameters);
  };
  for (const options of all) options.debug = debug;
  try {
    await work();
  } finally {
    for (const options of all) options.debug = false;
  }
  return count;
}
