/** No statement takes half of it: what takes longer waits for a session that does not come. */
const patienceMs = 15_000;

/**
 * Waits for the database, but not for ever.
 * @throws what counts as a database that is away.
 */
export function patiently<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(Object.assign(new Error("no session came free in time"), { code: "ETIMEDOUT" })),
      patienceMs,
    );
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
