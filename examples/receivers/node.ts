// A receiver with Node alone.
//
//   WEBHOOK_SECRET=whsec_… PORT=4000 node node.ts
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { once, receiveSync } from "@promptreg/core/webhooks/node";
import { handle, secrets, statusOf, store } from "./inbox.ts";

/** The signature covers the raw bytes: read them before anything parses them. */
async function readBody(request: IncomingMessage, maxBytes = 1024 * 1024): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw Object.assign(new Error("The body is too large."), { statusCode: 400 });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const event = receiveSync(await readBody(request), request.headers["service-signature"], secrets);
    await once(event, store, handle);
    response.writeHead(204).end();
  } catch (error) {
    console.error(error);
    response.writeHead(statusOf(error)).end();
  }
}

const server = createServer((request, response) => void answer(request, response));
server.listen(Number(process.env.PORT ?? 4000), () => {
  console.log(`Listening on port ${(server.address() as AddressInfo).port}`);
});
