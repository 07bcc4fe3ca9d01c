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

/** Checks of a connection within its time limit. */
const checks = 18;

const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const agreed = 0x53;

/** What PostgreSQL ends every answer with: ReadyForQuery, and one byte for the state of the transaction. */
const ready = [0x5a, 0, 0, 0, 5, undefined];

/** What its first answer begins with: it authenticates, refuses, or says what it does not know. */
const beginnings = [...Buffer.from("RENv")];

/** Ends a new connection to something else, which postgres.js would ask again at once, for ever. */
function requirePostgres<S extends Socket>(socket: S): S {
  socket.once("data", ([first = 0]: Buffer) => {
    if (!beginnings.includes(first)) socket.destroy(lost("what answers there is no PostgreSQL"));
  });
  return socket;
}

const endsReady = (chunk: Buffer) =>
  chunk.length >= ready.length &&
  ready.every((byte, i) => byte === undefined || byte === chunk[chunk.length - ready.length + i]);

/**
 * Ends a connection whose query got no answer for `silenceMs`: the network may have lost it silently, and still acknowledge
 * what is written. Counts checks instead of time, so that a process that was suspended, and has not read the answers yet,
 * ends nothing.
 */
export function watch<S extends Socket>(socket: S, silenceMs: number): S {
  /** How much was written when the database had last answered everything. */
  let answered = socket.bytesWritten;
  let silentChecks = 0;
  let tail: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    silentChecks = 0;
    tail =
      chunk.length < ready.length && tail.length > 0
        ? Buffer.concat([tail, chunk]).subarray(-ready.length)
        : chunk;
    if (endsReady(tail)) answered = socket.bytesWritten;
  });
  // A server that accepts connections and closes them is not a database; postgres.js would retry at once, for ever.
  socket.once("end", () => {
    if (socket.bytesRead === 0)
      socket.destroy(lost("the connection was closed before the server sent anything"));
  });
  const checking = setInterval(() => {
    if (socket.bytesWritten === answered) silentChecks = 0;
    else if (++silentChecks > checks)
      socket.destroy(lost("the database does not respond: the connection is lost"));
  }, silenceMs / checks).unref();
  socket.once("close", () => clearInterval(checking));
  return socket;
}

/**
 * Opens a watched connection for postgres.js, with TLS if the address asks for it. It never rejects, because postgres.js
 * would lose the slot in its pool: it gives a connection that fails.
 */
export async function dial({ host, port, tls, silenceMs }: SocketAddress): Promise<Socket> {
  const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  if (!tls) return watch(requirePostgres(socket), silenceMs);
  // The TLS socket reports it too.
  socket.on("error", () => {});
  try {
    socket.write(sslRequest);
    const [answer] = (await once(socket, "data", { signal: AbortSignal.timeout(silenceMs) })) as [Buffer];
    if (answer[0] !== agreed) throw new Error("The server does not support TLS.");
    const secured = connectTls({ socket, ...(isIP(host) ? {} : { servername: host }), ...tls });
    return watch(requirePostgres(secured), silenceMs);
  } catch (error) {
    socket.destroy();
    const failed = new Socket();
    setImmediate(() =>
      failed.destroy(
        (error as Error).name === "AbortError" ? lost("the database does not respond") : (error as Error),
      ),
    );
    return failed;
  }
}

const lost = (message: string) => Object.assign(new Error(message), { code: "CONNECTION_LOST" });
