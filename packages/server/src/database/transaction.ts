import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { followQuery } from "../kernel/telemetry/tracing.ts";
import type { Sql } from "./sql.ts";

/** How long after a fatal error its connection may take to close. */
const closeMs = 1_000;

const isFatal = (error: unknown) =>
  error instanceof postgres.PostgresError && ["FATAL", "PANIC"].includes(error.severity);

/** What is to be called after the commit of each transaction that runs. */
const callbacks = new WeakMap<Sql, (() => void)[]>();

/**
 * Calls `work` once the transaction `sql` is committed; never if it is rolled back, or if the commit's answer is lost. At once if
 * `sql` is the pool, whose statements commit by themselves.
 */
export function afterCommit(sql: Sql, work: () => void): void {
  const waiting = callbacks.get(sql);
  if (waiting) waiting.push(work);
  else work();
}

/** What is known of the transactions of a pool. */
export interface TransactionWatch {
  /** Those that have a connection. */
  running: number;
  /** Those that wait for one. */
  waiting: number;
  /** Called when one gets a connection, with the time that it waited for it. */
  onBegin(waitSeconds: number): void;
}

/** Counts a transaction from `begin` on. Gives what to call when it has a connection, and when it is over. */
function follow(watch: TransactionWatch | undefined) {
  if (watch === undefined) return { onBegin() {}, onEnd() {} };
  const askedAt = performance.now();
  let hasBegun = false;
  watch.waiting += 1;
  return {
    onBegin() {
      hasBegun = true;
      watch.waiting -= 1;
      watch.running += 1;
      watch.onBegin((performance.now() - askedAt) / 1_000);
    },
    onEnd() {
      if (hasBegun) watch.running -= 1;
      else watch.waiting -= 1;
    },
  };
}

/**
 * Keeps a transaction whose connection is lost from doing anything more. By itself postgres.js rolls back over the
 * socket that is gone, which ends the process, and lets later statements run on the connection that takes its place,
 * in the middle of somebody else's transaction. Here they fail, and nothing is rolled back: `begin` rejects on its own
 * when a connection closes. (porsager/postgres issues 1208 and 1216, version 3.4.9.)
 */
export function guardTransactions(sql: postgres.Sql, watch?: TransactionWatch): postgres.Sql {
  const begin: (work: (tx: postgres.TransactionSql) => Promise<unknown>) => Promise<unknown> =
    sql.begin.bind(sql);
  return Object.assign(sql, {
    begin(work: (tx: postgres.TransactionSql) => unknown): Promise<unknown> {
      let isOver = false;
      const following = follow(watch);
      const waiting: (() => void)[] = [];
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const outcome = begin(async (tx) => {
        following.onBegin();
        const guarded = new Proxy(tx, {
          apply(target, self, given) {
            if (isOver)
              throw Object.assign(new Error("the transaction has ended"), { code: "CONNECTION_CLOSED" });
            return followQuery(Reflect.apply(target, self, given) as unknown);
          },
        });
        callbacks.set(guarded, waiting);
        try {
          const result = await work(guarded);
          if (!isOver) return result;
        } catch (error) {
          // That a connection closed is known only after its statements failed.
          await (isFatal(error) ? Promise.race([ended, delay(closeMs)]) : new Promise(setImmediate));
          if (!isOver) throw error;
        }
        return new Promise<never>(() => {});
      });
      outcome.then(
        () => {
          following.onEnd();
          for (const call of waiting) call();
        },
        () => {
          following.onEnd();
          isOver = true;
          end();
        },
      );
      return outcome;
    },
  });
}
