import type { Logger } from "pino";
import type { Sql } from "../database/sql.ts";

/** Whether the database is available and writable. */
export interface Readiness {
  /**
   * Asks the database, unless it did so within the last second. Settles within a second.
   * @throws if it is unavailable or read-only.
   */
  check(): Promise<void>;
  /** A request found the database unavailable: checks until it is back, and logs both once. */
  suspect(): void;
  stop(): void;
}

const keptMs = 1_000;
const timeoutMs = 900;

export function openReadiness({ sql, log }: { sql: Sql; log: Logger }): Readiness {
  let askedAt = -Infinity;
  let isAsking = false;
  let kept = Promise.resolve();
  let awaySince: number | undefined;
  let looking: NodeJS.Timeout | undefined;

  return { check, suspect, stop: () => clearInterval(looking) };

  function check(): Promise<void> {
    if (isAsking || performance.now() - askedAt < keptMs) return kept;
    askedAt = performance.now();
    isAsking = true;
    const asking = ask(sql).finally(() => (isAsking = false));
    kept = Promise.race([asking, tooLate()]);
    kept.then(isBack, isAway);
    return kept;
  }

  function suspect(): void {
    check().catch(() => {});
  }

  function isAway(err: unknown): void {
    if (awaySince !== undefined) return;
    awaySince = askedAt;
    log.error({ err }, "the database is unavailable");
    looking = setInterval(suspect, keptMs).unref();
  }

  function isBack(): void {
    if (awaySince === undefined) return;
    log.info({ seconds: Math.round((performance.now() - awaySince) / 1000) }, "the database is back");
    awaySince = undefined;
    clearInterval(looking);
  }
}

/** A replica, or a database that was made read-only, answers but is not writable. */
async function ask(sql: Sql): Promise<void> {
  const [row] = await sql<{ isReadOnly: boolean }[]>`
    select current_setting('transaction_read_only')::bool as "isReadOnly"`;
  if (row?.isReadOnly) throw away("the database is read-only", "25006");
}

const tooLate = () =>
  new Promise<never>((_, reject) => {
    setTimeout(
      () => reject(away("the database does not respond within a second", "ETIMEDOUT")),
      timeoutMs,
    ).unref();
  });

const away = (message: string, code: string) => Object.assign(new Error(message), { code });
