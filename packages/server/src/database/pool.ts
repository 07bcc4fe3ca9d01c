import type { Socket } from "node:net";
import pg from "pg";
import { type DatabaseAddress, pgOptions } from "./connection.ts";
import { watch } from "./socket.ts";

/** The pool of the job queue, which replaces whatever connection is lost. */
export function openJobPool(address: DatabaseAddress, onBroken: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool(pgOptions(address));
  surviveBrokenConnections(pool, onBroken);
  pool.on("connect", ({ connection }) => watch(connection.stream as Socket, address.silenceMs));
  return letGoOnce(pool);
}

/** Handles errors of a pool's connections, idle or in use: an unhandled one would end the process. */
export function surviveBrokenConnections(pool: pg.Pool, onBroken: (error: Error) => void): void {
  pool.on("error", onBroken);
  pool.on("connect", (client) => client.on("error", onBroken));
}

/** If a queue stops while it loses its listening connection, it releases that twice, which would end the process. */
function letGoOnce(pool: pg.Pool): pg.Pool {
  type Callback = Parameters<pg.Pool["connect"]>[0];
  const connect = pool.connect.bind(pool);
  return Object.assign(pool, {
    connect: (callback?: Callback) =>
      callback
        ? connect((error, client, release) => {
            // Without a connection there is nothing to release. The caller checks for that.
            if (error) return callback(error, client, release);
            let isOver = false;
            callback(error, client, (broken) => {
              if (!isOver) release(broken);
              isOver = true;
            });
          })
        : connect(),
  });
}

/** Regularly queries a connection that only listens: a lost one would otherwise listen for ever. */
export function keepAsking(client: pg.ClientBase, { silenceMs }: DatabaseAddress): { stop(): void } {
  let timer: NodeJS.Timeout;
  const wait = () => {
    timer = setTimeout(ask, silenceMs / 2).unref();
  };
  const ask = () => void client.query("select").then(wait, () => {});
  wait();
  return { stop: () => clearTimeout(timer) };
}
