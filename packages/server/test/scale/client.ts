import { connect } from "node:net";

/** Sends one request after the other, and measures in milliseconds. */
export interface Client {
  get(path: string): Promise<{ status: number; body: Buffer; ms: number }>;
  close(): void;
}

/**
 * Opens one connection to a server. A client that parsed answers would be much of what is measured, so this one only looks
 * for their length.
 */
export async function openClient(origin: string): Promise<Client> {
  const { hostname, port, host } = new URL(origin);
  const socket = connect(Number(port), hostname).setNoDelay(true);
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return {
    close: () => socket.destroy(),
    get: (path) =>
      new Promise((resolve, reject) => {
        const startedAt = performance.now();
        let answer: Buffer = Buffer.alloc(0);
        const settle = (end: () => void) => {
          socket.off("data", read).off("close", fail);
          end();
        };
        const fail = () => settle(() => reject(new Error(`GET ${path}: the connection was closed`)));
        const read = (chunk: Buffer) => {
          answer = answer.length === 0 ? chunk : Buffer.concat([answer, chunk]);
          const end = answer.indexOf("\r\n\r\n");
          if (end < 0) return;
          const head = answer.toString("latin1", 0, end);
          const body = answer.subarray(end + 4);
          if (body.length < Number(/content-length: (\d+)/i.exec(head)?.[1])) return;
          const ms = performance.now() - startedAt;
          settle(() => resolve({ status: Number(head.split(" ", 2)[1]), body, ms }));
        };
        socket.on("data", read).once("close", fail);
        socket.write(`GET /api/v1${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      }),
  };
}

/** @throws if the answer is no 200. */
export async function timeOf(client: Client, path: string): Promise<number> {
  const { status, body, ms } = await client.get(path);
  if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${body.toString().slice(0, 300)}`);
  return ms;
}

export async function jsonOf<T>(client: Client, path: string): Promise<T> {
  const { status, body } = await client.get(path);
  if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${body.toString().slice(0, 300)}`);
  return JSON.parse(body.toString()) as T;
}
