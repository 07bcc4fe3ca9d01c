import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { receive, type WebhookEvent } from "@promptreg/core/webhooks";
import { vi } from "vitest";

/** A request as a receiver got it. */
export interface Received {
  path: string;
  headers: Record<string, string | undefined>;
  body: Buffer;
}

/** A receiver of webhooks on this machine, which answers as a test says. */
export async function startReceiver(port = 0) {
  const received: Received[] = [];
  const reply = { status: 200, text: "" };
  const server = createServer((request, response) => void respond(request, response));

  async function respond(request: IncomingMessage, response: ServerResponse) {
    const body = await buffer(request);
    received.push({ path: request.url ?? "", headers: request.headers as Received["headers"], body });
    response.writeHead(reply.status, { location: "/elsewhere" }).end(reply.text);
  }

  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${taken}/hook`,
    port: taken,
    received,
    reply,
    reset() {
      received.length = 0;
      Object.assign(reply, { status: 200, text: "" });
    },
    /** Waits until so many requests have come, and verifies each as a receiver does. */
    async events(count: number, secret: string): Promise<WebhookEvent[]> {
      await vi.waitUntil(() => received.length >= count, { timeout: 50_000 });
      return Promise.all(
        received.map(({ body, headers }) => receive(body, headers["service-signature"], secret)),
      );
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
