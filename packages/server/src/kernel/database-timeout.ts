/** More than twice the limit of a statement: work that takes longer waits for a connection. */
const timeoutMs = 15_000;

/**
 * Limits how long work waits for the database.
 * @throws an error that is reported as `unavailable`.
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
