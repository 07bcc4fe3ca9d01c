import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener, RequestError } from "@hono/node-server";
import { apiError, type ErrorCode } from "@promptreg/core/errors";
import { chooseRequestId, printError, respondWithError } from "@promptreg/core/wire";
import { bare, isProxy, networkOf } from "./client-address.ts";
import { type Outer, outgoingOf } from "./outgoing.ts";
import { answerClientError, writeError } from "./refusals.ts";
import { asApiError } from "../failures/as-api-error.ts";

/** Connections per address. */
export const maxConnections = 512;
/** Longer than balancers keep their connections, which is 60 s: otherwise we could close one as they use it. */
const keepAliveMs = 75_000;
/** Pipelined requests that may wait on a connection. */
export const maxWaiting = 32;

type Fetch = (request: Request, env: object) => Response | Promise<Response>;

/** Makes a server that replaces Node's own error responses with ours, and limits what clients can use. */
export function createHttpServer(fetch: Fetch, outer: Outer): Server {
  const listener = getRequestListener(fetch, {
    // For HTTP/1.0 requests without a Host.
    hostname: "localhost",
    // For an invalid URL. The request, and so its id, is unknown here.
    errorHandler: (error) =>
      respondWithError(
        error instanceof RequestError ? apiError("malformed_request") : asApiError(error),
        chooseRequestId(undefined),
      ),
  });
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (hasOneHost(incoming)) void listener(incoming, outgoing);
    else refuse("malformed_request", incoming, outgoing);
  };
  const server = createServer(
    { ServerResponse: outgoingOf(outer), requireHostHeader: false },
    (incoming, outgoing) => {
      // So that its client opens the next connection to another process.
      if (outer.readiness.isStopping) outgoing.shouldKeepAlive = false;
      outer.follow?.(incoming, outgoing);
      // It gets the socket when the responses before it have been read.
      if (outgoing.socket === null) wait(incoming.socket, outgoing, () => serve(incoming, outgoing));
      else serve(incoming, outgoing);
    },
  );
  server.keepAliveTimeout = keepAliveMs;
  server.on("checkExpectation", (incoming, outgoing) => refuse("expectation_failed", incoming, outgoing));
  server.on("clientError", answerClientError);
  server.on("connect", (incoming, socket) => {
    const requestId = chooseRequestId(incoming.headers["x-request-id"]);
    writeError(socket, apiError("method_not_allowed"), { requestId, extra: { allow: "" } });
  });
  boundConnections(server, outer);
  return server;
}

/** Every request must have one Host header; HTTP/1.0 needs none. */
function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === "host") count++;
  }
  return count === 1 || (count === 0 && httpVersion === "1.0");
}

function refuse(code: ErrorCode, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const requestId = chooseRequestId(incoming.headers["x-request-id"]);
  const { status, headers, body } = printError(apiError(code), requestId);
  const framing = { "content-length": Buffer.byteLength(body), connection: "close" };
  outgoing.writeHead(status, { ...headers, ...framing }).end(body);
}

const waiting = new WeakMap<Socket, number>();

/** Delays a pipelined request until its turn, so that a client cannot have all of them processed at once. */
function wait(socket: Socket, outgoing: ServerResponse, serve: () => void): void {
  const count = (waiting.get(socket) ?? 0) + 1;
  if (count > maxWaiting) return void socket.destroy();
  waiting.set(socket, count);
  outgoing.once("socket", () => {
    waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
    serve();
  });
}

/** Closes connections over the limit of an address. Our proxies are exempt: many clients are behind them. */
function boundConnections(server: Server, { trustedProxies }: Outer): void {
  const open = new Map<string, number>();
  server.on("connection", (socket) => {
    const address = bare(socket.remoteAddress ?? "");
    if (isProxy(address, trustedProxies)) return;
    const network = networkOf(address);
    const count = (open.get(network) ?? 0) + 1;
    if (count > maxConnections) {
      socket.destroy();
      return;
    }
    open.set(network, count);
    socket.once("close", () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
  });
}
