import { setTimeout as delay } from "node:timers/promises";
import type { ProofDatabase } from "./database.ts";

/** Notes when each webhook was first seen disabled, as often as it looks. */
export interface DisablingWatch {
  stop(): Promise<Map<string, number>>;
}

export function watchDisabling(database: ProofDatabase): DisablingWatch {
  const disabledAt = new Map<string, number>();
  const over = new AbortController();
  const watching = watch();
  // Heard when it is stopped; a proof that failed before that has its own reason.
  watching.catch(() => {});
  return {
    async stop() {
      over.abort();
      await watching;
      return disabledAt;
    },
  };

  async function watch(): Promise<void> {
    while (!over.signal.aborted) {
      const rows = await database.ask(
        (sql) => sql<{ id: string }[]>`select id from webhooks where disabled_reason is not null`,
      );
      for (const { id } of rows) if (!disabledAt.has(id)) disabledAt.set(id, performance.now());
      await delay(100);
    }
  }
}
