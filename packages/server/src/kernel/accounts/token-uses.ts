import type { Sql } from "../../database/sql.ts";
import type { Failures } from "../failures/failures.ts";

/** Notes which tokens are used, so that an operator sees which ones nobody needs. */
export interface TokenUses {
  /** The caller does not wait for the database. */
  note(tokenId: string): void;
  /** Writes what was noted. For tests, and when the process stops. */
  flush(): Promise<void>;
}

const flushMs = 10_000;
/** What one statement writes. More wait for the next. */
const atOnce = 1_000;
/** A token that is used all the time is written as often as this. */
const oldEnough = "5 minutes";

/** Opens the noting of uses in a process. What a crash loses is noted with the next use. */
export function openTokenUses({
  sql,
  failures,
}: {
  sql: Sql;
  failures: Pick<Failures, "report">;
}): TokenUses {
  const used = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const ids = [...used].slice(0, atOnce);
    for (const id of ids) used.delete(id);
    if (ids.length === 0) return;
    await write(sql, ids).catch((error: unknown) => failures.report(error, { operation: "token-uses" }));
    if (used.size > 0) await flush();
  }

  return {
    note(tokenId) {
      used.add(tokenId);
      timer ??= setTimeout(() => void flush(), flushMs).unref();
    },
    flush,
  };
}

/** Of two processes that saw the same token, one writes it. */
const write = async (sql: Sql, ids: readonly string[]) => {
  await sql`
    update tokens set last_used_at = clock() where id in (
      select id from tokens
      where id = any(${[...ids]}) and (last_used_at is null or last_used_at < clock() - ${oldEnough}::interval)
      for no key update skip locked
    )`;
};
