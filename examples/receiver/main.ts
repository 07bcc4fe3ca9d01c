// Receives webhooks and believes only those that are signed with our secret.
//
//   WEBHOOK_SECRET=whsec_… node main.ts
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { receiveSync, type WebhookEvent, WebhookVerificationError } from "@promptreg/core/webhooks/node";

const secret = process.env.WEBHOOK_SECRET ?? "";
const port = Number(process.env.PORT ?? 4000);

/** An event can come twice, under the same id. Where that matters, keep the ids in your database. */
const seen = new Set<string>();

function handle(event: WebhookEvent): void {
  if (seen.has(event.id)) return;
  seen.add(event.id);
  if (event.event === "prompt.label.moved") {
    const { prompt, label } = event.data;
    console.log(`${prompt.ref}: ${label.name} is at version ${label.versionNumber} now`);
  } else {
    console.log(`${event.event} (${event.id})`);
  }
}

/** The signature is over the bytes as they came: read them before anything parses them. */
async function readBody(request: IncomingMessage, maxBytes = 1024 * 1024): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error("the body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const body = await readBody(request);
    handle(receiveSync(body, request.headers["service-signature"], secret));
    // Answer within ten seconds, and do what takes longer afterwards.
    response.writeHead(204).end();
  } catch (error) {
    const isForged = error instanceof WebhookVerificationError && !error.code.startsWith("invalid_");
    console.error(error instanceof Error ? error.message : error);
    response.writeHead(isForged ? 400 : 500).end();
  }
}

createServer((request, response) => void answer(request, response)).listen(port, () => {
  console.log(`Listening on http://127.0.0.1:${port}`);
});
