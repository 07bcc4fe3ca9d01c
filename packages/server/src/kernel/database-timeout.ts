/** No statement takes half of it: what takes longer waits for a connection that does not become free. */
const timeoutMs = 15_000;

/**
 * Limits how long work waits for the database.
 * @throws an error that counts as an unavailable database.
 */
export function withDatabaseTimeout<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () =>
        reject(Object.assign(new Error("no database connection became free in time"), { code: "ETIMEDOUT" })),
      timeoutMs,
    );
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
