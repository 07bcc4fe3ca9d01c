import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";

/** How long after a fatal error its connection may take to close. */
const closeMs = 1_000;

const isFatal = (error: unknown) =>
  error instanceof postgres.PostgresError && /^(FATAL|PANIC)$/.test(error.severity);

/**
 * Keeps a transaction whose connection is lost from doing anything more. By itself postgres.js rolls back over the
 * socket that is gone, which ends the process, and lets later statements run on the connection that takes its place,
 * in the middle of somebody else's transaction. Here they fail, and nothing is rolled back: `begin` rejects on its own
 * when a connection closes. (porsager/postgres issues 1208 and 1216, version 3.4.9.)
 */
export function guardTransactions(sql: postgres.Sql): postgres.Sql {
  const begin: (work: (tx: postgres.TransactionSql) => Promise<unknown>) => Promise<unknown> =
    sql.begin.bind(sql);
  return Object.assign(sql, {
    begin(work: (tx: postgres.TransactionSql) => unknown): Promise<unknown> {
      let isOver = false;
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const outcome = begin(async (tx) => {
        const guarded = new Proxy(tx, {
          apply(target, self, given) {
            if (isOver)
              throw Object.assign(new Error("the transaction has ended"), { code: "CONNECTION_CLOSED" });
            return Reflect.apply(target, self, given) as unknown;
          },
        });
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
      outcome.catch(() => {
        isOver = true;
        end();
      });
      return outcome;
    },
  });
}
