import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type DatabaseAddress, pgOptions } from "./connection.ts";
import { keepAsking } from "./pool.ts";
import { watch } from "./socket.ts";

/** How long to wait before a lost connection is opened again. */
const pauseMs = 1_000;

/** Who listens on a channel of the database. */
export interface ChannelListener {
  onMessage(payload: string): void;
  /** It listens from now on; after a lost connection, messages may have been missed. */
  onOpen(): void;
  /** Called once whenever it listens no more, until it listens again. */
  onLost(error: Error): void;
}

/** Listens on a channel, on one connection of its own, which is opened again whenever it is lost. */
export function listen(
  address: DatabaseAddress,
  channel: string,
  listener: ChannelListener,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };

  async function run(): Promise<void> {
    let isLost = false;
    while (!signal.aborted) {
      try {
        await listenOnce(() => (isLost = false));
      } catch (error) {
        if (!signal.aborted && !isLost) listener.onLost(error as Error);
        isLost = true;
      }
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  /** Ends when it is stopped. @throws the error of a connection that is lost. */
  async function listenOnce(onOpen: () => void): Promise<void> {
    const client = new pg.Client(pgOptions(address));
    const { promise: lost, reject: lose } = Promise.withResolvers<never>();
    lost.catch(() => {});
    client.on("error", lose);
    client.on("end", () => lose(new Error("The database ended the connection that listens.")));
    client.on("notification", ({ payload = "" }) => listener.onMessage(payload));
    try {
      await Promise.race([client.connect(), lost]);
      watch(client.connection.stream as Socket, address.silenceMs);
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      const asking = keepAsking(client, address);
      try {
        onOpen();
        listener.onOpen();
        await Promise.race([lost, signal.aborted ? undefined : once(signal, "abort")]);
      } finally {
        asking.stop();
      }
    } finally {
      await client.end().catch(() => {});
    }
  }
}
