import postgres from "postgres";

/** Loads a row by its key. */
type Load<Key, Row> = (key: Key) => Promise<Row>;

interface Call<Key, Row> {
  key: Key;
  resolve(row: Row): void;
  reject(error: unknown): void;
}

/**
 * Joins loads, so that many share a statement: one at a time runs, and what is asked meanwhile goes with the next, at most `most` keys.
 * Nothing waits for company. `loadAll` gives a row for each key, in their order. If it fails because of what one key is, each is
 * loaded alone, so that it fails no others. `onBatch` hears how many share a statement.
 */
export function batched<Key, Row>(
  loadAll: (keys: readonly Key[]) => Promise<readonly Row[]>,
  { most, onBatch }: { most: number; onBatch?: ((size: number) => void) | undefined },
): Load<Key, Row> {
  const waiting: Call<Key, Row>[] = [];
  let isRunning = false;
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (!isRunning) void run();
    });

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) await answer(waiting.splice(0, most));
    isRunning = false;
  }

  async function answer(calls: readonly Call<Key, Row>[]): Promise<void> {
    onBatch?.(calls.length);
    try {
      const rows = await loadAll(calls.map(({ key }) => key));
      for (const [nth, call] of calls.entries()) call.resolve(rows[nth] as Row);
    } catch (error) {
      if (calls.length === 1 || !isOfData(error)) for (const call of calls) call.reject(error);
      else await Promise.all(calls.map((call) => answer([call])));
    }
  }
}

/** Whether PostgreSQL could not take a value (class 22 of its error codes), as against a database that is away. */
const isOfData = (error: unknown) => error instanceof postgres.PostgresError && error.code.startsWith("22");
