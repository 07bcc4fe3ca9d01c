import type { Sql } from "../src/database/sql.ts";

/** Works, and gives each statement that pools send meanwhile. */
export async function watchStatements(
  pools: readonly Sql[],
  onSent: (text: string, parameters: unknown[]) => void,
  work: () => PromiseLike<unknown>,
): Promise<void> {
  const all = pools.map((pool) => (pool as unknown as { options: { debug: unknown } }).options);
  const debug = (_: number, text: string, parameters: unknown[]) => onSent(text, parameters);
  for (const options of all) options.debug = debug;
  try {
    await work();
  } finally {
    for (const options of all) options.debug = false;
  }
}
