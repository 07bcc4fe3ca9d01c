import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type ApiError, apiError, type ErrorCode } from "@promptreg/core/errors";
import { chooseRequestId, printError } from "@promptreg/core/wire";

/** What Node's reading of a connection broke off at; anything else is no HTTP. */
const codes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "payload_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

const broken = new WeakSet<Duplex>();

/** Answers a connection on which no further request can be read, after those that could be, and closes it. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Whatever comes after it breaks it again.
  if (broken.has(socket)) return;
  broken.add(socket);
  const code = codes[error.code ?? ""] ?? "malformed_request";
  const end = () => writeError(socket, apiError(code), { requestId: chooseRequestId(undefined) });
  inTurn(socket, end);
}

/** Node keeps the answer under way here. Where its request was read to the end, the fault is in what came after it. */
function inTurn(socket: Duplex, end: () => void): void {
  const { _httpMessage: current } = socket as { _httpMessage?: ServerResponse | null };
  if (current && (current.headersSent || current.req.complete)) {
    current.once("close", () => inTurn(socket, end));
  } else end();
}

/** Writes an error to a connection for which there is no answer to write it with, and closes it. */
export function writeError(
  socket: Duplex,
  error: ApiError,
  { requestId, extra = {} }: { requestId: string; extra?: Record<string, string> },
): void {
  if (!socket.writable) return void socket.destroy();
  const { status, headers, body } = printError(error, requestId, extra);
  const lines = Object.entries({
    ...headers,
    "content-length": Buffer.byteLength(body),
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
  // Closed at once, with something unread, the connection would be reset, and the answer lost with it.
  socket.resume();
  setTimeout(() => socket.destroy(), 500).unref();
}
