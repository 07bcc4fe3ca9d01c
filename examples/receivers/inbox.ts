// The part that all receivers in this folder share.
import type { EventStore, WebhookEvent } from "@promptreg/core/webhooks";

/** One secret. While you rotate it: the old and the new one, separated by a comma. */
export const secrets = (process.env.WEBHOOK_SECRET ?? "").split(",");

/** The events that were handled: one can come twice, with the same id. In production, use a database. */
const marks = new Map<string, string>();
export const store: EventStore = {
  begin: (id) => marks.get(id) ?? void marks.set(id, "begun"),
  end: (id, isHandled) => (isHandled ? marks.set(id, "handled") : marks.delete(id)),
};

/** The sender waits ten seconds. If your work takes longer, put the event into a queue here, and work after the response. */
export async function handle(event: WebhookEvent): Promise<void> {
  if (event.event === "prompt.label.moved") {
    const { prompt, label } = event.data;
    console.log(`${event.id}: ${prompt.ref} ${label.name} is now at version ${label.versionNumber}`);
  } else {
    // New kinds of events can come at any time. Return 2xx for those too.
    console.log(`${event.id}: ${event.event}`);
  }
}

/** 400 for unsigned requests, 500 and 503 for events to send again. Express and Fastify read `statusCode` themselves. */
export const statusOf = (error: unknown): 400 | 500 | 503 =>
  (error as { statusCode?: 400 | 500 | 503 } | undefined)?.statusCode ?? 500;
