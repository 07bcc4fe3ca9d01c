import type pg from "pg";

/** Listens to a pool's connections, idle or in use: one that breaks without a listener would end the process. */
export function surviveBrokenConnections(pool: pg.Pool, onBroken: (error: Error) => void): void {
  pool.on("error", onBroken);
  pool.on("connect", (client) => client.on("error", onBroken));
}
