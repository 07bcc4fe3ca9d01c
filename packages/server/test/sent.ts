import type { Sql } from "../src/database/sql.ts";

/** Works, and gives each statement that the driver sends meanwhile. */
export async function watchStatements(
  sql: Sql,
  onSent: (text: string, parameters: unknown[]) => void,
  work: () => PromiseLike<unknown>,
): Promise<void> {
  const { options } = sql as unknown as { options: { debug: unknown } };
  options.debug = (_: number, text: string, parameters: unknown[]) => onSent(text, parameters);
  try {
    await work();
  } finally {
    options.debug = false;
  }
}
