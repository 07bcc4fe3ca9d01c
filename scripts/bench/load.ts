import { connect, type Socket } from "node:net";

/** A server under load, and what is asked of it. */
export interface Load {
  port: number;
  path: string;
  headers: Record<string, string>;
}

/**
 * Keeps a number of connections busy with one request after the other and gives requests per second.
 * It writes prepared bytes and counts received ones: a client that parsed would cost more than the server it measures,
 * on the same two cores. So every answer must have the same length, which `openLoad` finds out first.
 */
export interface OpenLoad {
  run(durationMs: number): Promise<number>;
  close(): void;
}

export async function openLoad({ port, path, headers }: Load, connections: number): Promise<OpenLoad> {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const length = await lengthOfAnswer(sockets[0] as Socket, request);
  return {
    async run(durationMs) {
      const until = performance.now() + durationMs;
      const counts = await Promise.all(sockets.map((socket) => keepBusy(socket, { request, length, until })));
      return (counts.reduce((sum, count) => sum + count, 0) * 1000) / durationMs;
    },
    close: () => sockets.forEach((socket) => socket.destroy()),
  };
}

const open = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.setNoDelay(true).once("error", reject);
  });

/** The answer must be complete when the stream is quiet: nothing else is under way yet. */
function lengthOfAnswer(socket: Socket, request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      clearTimeout(quiet);
      quiet = setTimeout(done, 300);
    });
    const done = () => {
      socket.removeAllListeners("data");
      const status = received.split(" ", 2)[1];
      if (status === "200" || status === "304") resolve(received.length);
      else reject(new Error(`the server under load answered:\n${received.slice(0, 500)}`));
    };
    let quiet = setTimeout(done, 2_000);
    socket.write(request);
  });
}

function keepBusy(
  socket: Socket,
  { request, length, until }: { request: Buffer; length: number; until: number },
): Promise<number> {
  return new Promise((resolve) => {
    let count = 0;
    let missing = length;
    const onData = (chunk: Buffer) => {
      missing -= chunk.length;
      if (missing > 0) return;
      count += 1;
      missing = length;
      if (performance.now() < until) socket.write(request);
      else {
        socket.off("data", onData);
        resolve(count);
      }
    };
    socket.on("data", onData);
    socket.write(request);
  });
}
