import postgres from "postgres";
import { followQuery } from "../kernel/telemetry/tracing.ts";
import type { PoolOptions } from "./connection.ts";
import { guardTransactions, type TransactionWatch } from "./transaction.ts";

/** How long queries on the other connections may take to end after one connection was lost. */
const graceSeconds = 5;

/**
 * A pool that is replaced by a new one as soon as it loses a connection. By itself postgres.js uses a lost connection
 * again with what was left in its buffers and queues, and may then wait for ever, or for seconds at a time, for an
 * answer to something that was never sent (version 3.4.9). What was under way ends on the old pool, or fails.
 */
export function openRenewingPool(options: PoolOptions, watch?: TransactionWatch): postgres.Sql {
  let isEnding = false;
  let current = open();
  return new Proxy(current, {
    apply: (_, self, given) => followQuery(Reflect.apply(current, self, given) as unknown),
    get: (_, name) => (name === "end" ? end : Reflect.get(current, name)),
  });

  function open(): postgres.Sql {
    const own: PoolOptions = {
      ...options,
      max_lifetime: null,
      onclose: () => renew(pool),
      // Before the caller learns of it and retries.
      socket: async () => (await options.socket()).once("error", () => renew(pool)),
    };
    const pool: postgres.Sql = guardTransactions(postgres(own), watch);
    return pool;
  }

  function renew(lost: postgres.Sql): void {
    if (isEnding || lost !== current) return;
    current = open();
    void lost.end({ timeout: graceSeconds });
  }

  function end(how?: { timeout?: number }): Promise<void> {
    isEnding = true;
    return current.end(how);
  }
}
