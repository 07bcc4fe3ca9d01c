import type { Logger } from "pino";
import type { Sql } from "../../database/sql.ts";

/** Whether the process can do its work, and whether it should get more. */
export interface Readiness {
  /**
   * Asks the database, at most once a second. Settles within a second. A replica, or a read-only database, answers reads.
   * @throws if it is unavailable.
   */
  check(): Promise<DatabaseState>;
  /** Call it if a request found the database unavailable: it checks until the database is back, and logs each change once. */
  suspect(): void;
  /** Whether the process was asked to stop. It still serves what comes, and wants no more. */
  isStopping: boolean;
  /** Whether the database answered when it was last asked. */
  readonly isDatabaseUp: boolean;
  stop(): void;
}

export interface DatabaseState {
  isReadOnly: boolean;
}

const maxAgeMs = 1_000;
const timeoutMs = 900;

export function openReadiness({ sql, log }: { sql: Sql; log: Logger }): Readiness {
  let askedAt = -Infinity;
  let isAsking = false;
  let latest: Promise<DatabaseState> = Promise.resolve({ isReadOnly: false });
  let unavailableSince: number | undefined;
  let isReadOnly = false;
  let polling: NodeJS.Timeout | undefined;

  return {
    check,
    suspect,
    isStopping: false,
    get isDatabaseUp() {
      return unavailableSince === undefined;
    },
    stop: () => clearInterval(polling),
  };

  function check(): Promise<DatabaseState> {
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
    poll();
  }

  function onAvailable(now: DatabaseState): void {
    if (unavailableSince !== undefined)
      log.info(
        { seconds: Math.round((performance.now() - unavailableSince) / 1000) },
        "the database is back",
      );
    unavailableSince = undefined;
    if (now.isReadOnly !== isReadOnly) {
      if (now.isReadOnly) log.error("the database is read-only: reads work, and changes get 503");
      else log.info("the database takes changes again");
    }
    ({ isReadOnly } = now);
    if (isReadOnly) poll();
    else clearInterval(polling);
  }

  function poll(): void {
    clearInterval(polling);
    polling = setInterval(suspect, maxAgeMs).unref();
  }
}

async function ask(sql: Sql): Promise<DatabaseState> {
  const [row] = await sql<DatabaseState[]>`
    select current_setting('transaction_read_only')::bool as "isReadOnly"`;
  return { isReadOnly: row?.isReadOnly === true };
}

const timeout = () =>
  new Promise<never>((_, reject) => {
    setTimeout(
      () => reject(unavailable("the database does not respond within a second", "ETIMEDOUT")),
      timeoutMs,
    ).unref();
  });

const unavailable = (message: string, code: string) => Object.assign(new Error(message), { code });
