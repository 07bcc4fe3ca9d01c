import { connect, type Socket } from "node:net";

/** A server under load, and what is asked of it. */
export interface Load {
  port: number;
  path: string;
  headers: Record<string, string>;
}

/** What a server answered under load. */
export interface Answered {
  /** Requests per second. */
  rate: number;
  /** In how many milliseconds 99 of 100 were answered. */
  lateMs: number;
}

/**
 * Keeps a number of connections busy with one request after the other.
 * It writes prepared bytes and counts received ones: a client that parsed would cost more than the server it measures,
 * on the same two cores. So every answer must have the same length, which `openLoad` finds out first.
 */
export interface OpenLoad {
  run(durationMs: number): Promise<Answered>;
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
      const all = await Promise.all(sockets.map((socket) => keepBusy(socket, { request, length, until })));
      const times = all.flat().sort((a, b) => a - b);
      const lateMs = times[Math.floor(times.length * 0.99)] ?? Number.NaN;
      return { rate: (times.length * 1000) / durationMs, lateMs };
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

/** Gives how long each answer took, in milliseconds. */
function keepBusy(
  socket: Socket,
  { request, length, until }: { request: Buffer; length: number; until: number },
): Promise<number[]> {
  return new Promise((resolve) => {
    const times: number[] = [];
    let missing = length;
    let sentAt = performance.now();
    const onData = (chunk: Buffer) => {
      missing -= chunk.length;
      if (missing > 0) return;
      const now = performance.now();
      times.push(now - sentAt);
      missing = length;
      sentAt = now;
      if (now < until) socket.write(request);
      else {
        socket.off("data", onData);
        resolve(times);
      }
    };
    socket.on("data", onData);
    socket.write(request);
  });
}
