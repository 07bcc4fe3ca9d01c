/** The least that can be done to send what a delivery sends. */
import { Agent, request } from "node:https";
import { signSync } from "@promptreg/core/webhooks/node";
import { webhookSecret } from "./stage.ts";

const agent = new Agent({ keepAlive: true });

/** Closes the connections that are kept, so that nobody counts them. */
export const hangUp = () => agent.destroy();

export interface Signed {
  url: string;
  event: string;
  id: string;
  body: Uint8Array;
}

export interface Answer {
  status: number;
  excerpt: Buffer;
  ms: number;
}

/** Sends a signed request on a connection that is kept, and reads the answer. */
export function sendSigned({ url, event, id, body }: Signed): Promise<Answer> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "content-length": body.byteLength,
      "user-agent": "Service-Webhooks/1.0 (+http://127.0.0.1/reference#events)",
      "service-event": event,
      "service-delivery": id,
      "service-signature": signSync(body, webhookSecret),
    };
    const sent = request(url, { agent, method: "POST", headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
      answer.on("end", () => {
        const ms = Math.round(performance.now() - startedAt);
        resolve({ status: answer.statusCode ?? 0, excerpt: Buffer.concat(chunks), ms });
      });
    });
    sent.on("error", reject).end(body);
  });
}
