import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy between a server and its database that simulates network faults. */
export interface Gate {
  /** The address of the database, by way of the gate. */
  url: string;
  /**
   * From now on what the connections that there are say arrives nowhere, in either direction. What is written is
   * acknowledged still, so that TCP notices nothing; with `isDeaf` it is not.
   */
  freeze(how?: { isDeaf?: boolean }): void;
  close(): void;
}

export async function openGate(databaseUrl: string): Promise<Gate> {
  const target = new URL(databaseUrl);
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    near.pipe(far).pipe(near);
    for (const socket of pair) {
      socket.on("error", () => {});
      socket.on("close", () => pair.forEach((other) => other.destroy()));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    freeze({ isDeaf = false } = {}) {
      for (const pair of pairs) {
        for (const socket of pair) {
          socket.unpipe();
          socket.removeAllListeners("close");
          if (isDeaf) socket.pause();
          else socket.resume();
        }
      }
    },
    close() {
      server.close();
      for (const pair of pairs) for (const socket of pair) socket.destroy();
    },
  };
}
