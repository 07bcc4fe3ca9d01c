import type { Sql } from "../src/database/sql.ts";

/**
 * Works, and gives each statement that pools send meanwhile.
 * @throws {Error} if they send none: a test that watches other pools than the server's would notice nothing.
 */
export async function watchStatements(
  pools: readonly Sql[],
  onSent: (text: string, parameters: unknown[]) => void,
  work: () => PromiseLike<unknown>,
): Promise<void> {
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
  if (count === 0) throw new Error("no statement was sent");
}
