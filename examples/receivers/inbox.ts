// What the receivers in this folder share.
import type { EventStore, WebhookEvent } from "@promptreg/core/webhooks";

/** One, or two with a comma between them while you move from one to the next. */
export const secrets = (process.env.WEBHOOK_SECRET ?? "").split(",");

/** Which events were handled: one can come twice, under the same id. Yours will keep this in a database. */
const marks = new Map<string, string>();
export const store: EventStore = {
  begin: (id) => marks.get(id) ?? void marks.set(id, "begun"),
  end: (id, isHandled) => (isHandled ? marks.set(id, "handled") : marks.delete(id)),
};

/** The sender waits ten seconds: what takes longer goes into a queue here, and is done after the answer. */
export async function handle(event: WebhookEvent): Promise<void> {
  if (event.event === "prompt.label.moved") {
    const { prompt, label } = event.data;
    console.log(`${event.id}: ${prompt.ref} ${label.name} is now at version ${label.versionNumber}`);
  } else {
    // Events that are new to you come as well: whatever you do not know is answered 2xx too.
    console.log(`${event.id}: ${event.event}`);
  }
}

/** 400 for what is not signed, 500 and 503 for what shall come again; Express and Fastify know by themselves. */
export const statusOf = (error: unknown): 400 | 500 | 503 =>
  (error as { statusCode?: 400 | 500 | 503 } | undefined)?.statusCode ?? 500;
