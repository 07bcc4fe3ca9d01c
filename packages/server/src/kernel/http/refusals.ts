import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type ApiError, apiError, type ErrorCode } from "@promptreg/core/errors";
import { chooseRequestId, printError } from "@promptreg/core/wire";

/** Our codes for Node's parse errors. Any other is `malformed_request`. */
const codes: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "payload_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

const broken = new WeakSet<Duplex>();

/** Handles Node's `clientError`: finishes requests that could be read, then sends an error and closes. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Everything that follows raises the same error again.
  if (broken.has(socket)) return;
  broken.add(socket);
  const code = codes[error.code ?? ""] ?? "malformed_request";
  const end = () => writeError(socket, apiError(code), { requestId: chooseRequestId(undefined) });
  inTurn(socket, end);
}

/** Node keeps the current response here. If its request was read completely, the error belongs to what came after it. */
function inTurn(socket: Duplex, end: () => void): void {
  const { _httpMessage: current } = socket as { _httpMessage?: ServerResponse | null };
  if (current && (current.headersSent || current.req.complete)) {
    current.once("close", () => inTurn(socket, end));
  } else end();
}

/** Writes an error to a connection without a response object, and closes it. */
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
  // Closing at once with unread data would reset the connection and lose the response.
  socket.resume();
  setTimeout(() => socket.destroy(), 500).unref();
}
