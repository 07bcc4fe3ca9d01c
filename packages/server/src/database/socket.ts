import { once } from "node:events";
import { connect, isIP, Socket } from "node:net";
import { type ConnectionOptions as TlsOptions, connect as connectTls } from "node:tls";

/** Where a database listens; a `host` that begins with `/` is the folder of a Unix socket. */
export interface SocketAddress {
  host: string;
  port: number;
  tls: false | TlsOptions;
  /** How long the database may leave a statement unanswered before the connection counts as lost. */
  silenceMs: number;
}

/** How often a connection is looked at before it has been silent for too long. */
const looks = 18;

const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const agreed = 0x53;

/** What PostgreSQL ends every answer with: ReadyForQuery, and one byte for the state of the transaction. */
const ready = [0x5a, 0, 0, 0, 5, undefined];

const endsReady = (chunk: Buffer) =>
  chunk.length >= ready.length &&
  ready.every((byte, i) => byte === undefined || byte === chunk[chunk.length - ready.length + i]);

/**
 * Ends a connection on which something was asked and nothing came for so long: whatever lies between may have lost it
 * without a word, and go on acknowledging what is written. Looks are counted and not the time, so that a process that
 * stood still, and has not read what came meanwhile, ends nothing.
 */
export function watch<S extends Socket>(socket: S, silenceMs: number): S {
  /** How much was written when the database had last answered everything. */
  let answered = socket.bytesWritten;
  let silentLooks = 0;
  let tail: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    silentLooks = 0;
    tail =
      chunk.length < ready.length && tail.length > 0
        ? Buffer.concat([tail, chunk]).subarray(-ready.length)
        : chunk;
    if (endsReady(tail)) answered = socket.bytesWritten;
  });
  // Whoever takes connections and closes them is no database; postgres.js would try again at once, for ever.
  socket.once("end", () => {
    if (socket.bytesRead === 0) socket.destroy(lost("the connection was closed before a word was said"));
  });
  const looking = setInterval(() => {
    if (socket.bytesWritten === answered) silentLooks = 0;
    else if (++silentLooks > looks)
      socket.destroy(lost("the database does not answer: the connection is lost"));
  }, silenceMs / looks).unref();
  socket.once("close", () => clearInterval(looking));
  return socket;
}

/**
 * Opens a watched connection for postgres.js, encrypted where that is asked for. It never rejects, because postgres.js
 * would lose the place in its pool: it gives a connection that fails.
 */
export async function dial({ host, port, tls, silenceMs }: SocketAddress): Promise<Socket> {
  const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  if (!tls) return watch(socket, silenceMs);
  // Whoever has the encrypted one hears of it there.
  socket.on("error", () => {});
  try {
    socket.write(sslRequest);
    const [answer] = (await once(socket, "data", { signal: AbortSignal.timeout(silenceMs) })) as [Buffer];
    if (answer[0] !== agreed) throw new Error("The server does not support TLS.");
    return watch(connectTls({ socket, ...(isIP(host) ? {} : { servername: host }), ...tls }), silenceMs);
  } catch (error) {
    socket.destroy();
    const failed = new Socket();
    setImmediate(() =>
      failed.destroy(
        (error as Error).name === "AbortError" ? lost("the database does not answer") : (error as Error),
      ),
    );
    return failed;
  }
}

const lost = (message: string) => Object.assign(new Error(message), { code: "CONNECTION_LOST" });
