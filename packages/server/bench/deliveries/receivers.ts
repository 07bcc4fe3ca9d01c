/** A process of its own with the endpoints of all webhooks, which tells its parent what arrived and when. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { certificatePath, keyPath, nowMs } from "./common.ts";

/** What has arrived since the last report. */
export interface Report {
  requests: number;
  firstAtMs: number;
  /** That were open at once. */
  connections: number;
}

/** What the parent hears by itself: that an event has arrived at `/timed`, or a request at an endpoint that hangs. */
export type Notice = { nth: number; atMs: number } | "hanging";

const slowMs = 9_000;

let [requests, firstAtMs, open, connections] = [0, 0, 0, 0];

/** Each gets the time at which the head of the request was read, with which its first byte comes. */
const endpoints: Record<string, (request: IncomingMessage, atMs: number) => Promise<unknown>> = {
  async "/timed"(request, atMs) {
    const { data } = JSON.parse((await buffer(request)).toString()) as { data: { nth: number } };
    process.send?.({ nth: data.nth, atMs } satisfies Notice);
  },
  "/fast": async (request) => request.resume(),
  "/slow": (request) => hang(request, delay(slowMs)),
  "/hang": (request) => hang(request, new Promise(() => {})),
};

function hang(request: IncomingMessage, until: Promise<unknown>): Promise<unknown> {
  request.resume();
  process.send?.("hanging" satisfies Notice);
  return until;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const atMs = nowMs();
  if (requests++ === 0) firstAtMs = atMs;
  await endpoints[request.url ?? ""]?.(request, atMs);
  response.writeHead(200).end("Thank you.");
}

const tls = { cert: readFileSync(certificatePath), key: readFileSync(keyPath) };
// Clients close what is idle, so that none is closed under them.
const server = createServer({ ...tls, keepAliveTimeout: 60_000 }, (...both) => void answer(...both));
server.on("secureConnection", (socket) => {
  connections = Math.max(connections, ++open);
  socket.on("close", () => open--);
});
process.on("message", () => {
  process.send?.({ requests, firstAtMs, connections } satisfies Report);
  [requests, connections] = [0, open];
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.send?.((server.address() as AddressInfo).port);
