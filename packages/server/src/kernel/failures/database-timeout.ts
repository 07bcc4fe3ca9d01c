/** More than twice the limit of a statement: work that takes longer waits for a connection. */
const timeoutMs = 15_000;

/**
 * Limits how long work waits for the database. `onLate` gets a result that comes after that, to free what it holds.
 * @throws an error that is reported as `unavailable`.
 */
export function withDatabaseTimeout<T>(work: Promise<T>, onLate?: (late: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(Object.assign(new Error("no database connection became free in time"), { code: "ETIMEDOUT" }));
      if (onLate) work.then(onLate, () => {});
    }, timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
