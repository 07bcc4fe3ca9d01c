import { apiError } from "@promptreg/core/errors";

/** The database ends every statement after 30 s: what takes longer waits for a session that does not come. */
const patienceMs = 40_000;

/**
 * Waits for the database, but not for ever.
 * @throws {ApiError} `unavailable`
 */
export function patiently<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(apiError("unavailable")), patienceMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
