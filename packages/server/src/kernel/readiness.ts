import type { Logger } from "pino";
import type { Sql } from "../database/sql.ts";

/** Whether the database is available and writable. */
export interface Readiness {
  /**
   * Asks the database, at most once a second. Settles within a second.
   * @throws if it is unavailable or read-only.
   */
  check(): Promise<void>;
  /** Call it if a request found the database unavailable: it checks until the database is back, and logs both once. */
  suspect(): void;
  stop(): void;
}

const maxAgeMs = 1_000;
const timeoutMs = 900;

export function openReadiness({ sql, log }: { sql: Sql; log: Logger }): Readiness {
  let askedAt = -Infinity;
  let isAsking = false;
  let latest = Promise.resolve();
  let unavailableSince: number | undefined;
  let polling: NodeJS.Timeout | undefined;

  return { check, suspect, stop: () => clearInterval(polling) };

  function check(): Promise<void> {
    if (isAsking || performance.now() - askedAt < maxAgeMs) return latest;
    askedAt = performance.now();
    isAsking = true;
    const asking = ask(sql).finally(() => (isAsking = false));
    latest = Promise.race([asking, timeout()]);
    latest.then(onAvailable, onUnavailable);
    return latest;
  }

  function suspect(): void {
    check().catch(() => {});
  }

  function onUnavailable(err: unknown): void {
    if (unavailableSince !== undefined) return;
    unavailableSince = askedAt;
    log.error({ err }, "the database is unavailable");
    polling = setInterval(suspect, maxAgeMs).unref();
  }

  function onAvailable(): void {
    if (unavailableSince === undefined) return;
    log.info({ seconds: Math.round((performance.now() - unavailableSince) / 1000) }, "the database is back");
    unavailableSince = undefined;
    clearInterval(polling);
  }
}

/** A replica, or a read-only database, answers but accepts no changes. */
async function ask(sql: Sql): Promise<void> {
  const [row] = await sql<{ isReadOnly: boolean }[]>`
    select current_setting('transaction_read_only')::bool as "isReadOnly"`;
  if (row?.isReadOnly) throw unavailable("the database is read-only", "25006");
}

const timeout = () =>
  new Promise<never>((_, reject) => {
    setTimeout(
      () => reject(unavailable("the database does not respond within a second", "ETIMEDOUT")),
      timeoutMs,
    ).unref();
  });

const unavailable = (message: string, code: string) => Object.assign(new Error(message), { code });
