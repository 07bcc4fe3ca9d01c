import type { EventAbout, EventDefinition } from "./event.ts";
import { type Brought, brought } from "./groups.ts";

type Catalogue = Brought<"events">;

/** The name of an event, as it stands in `Service-Event` and in the envelope. */
export type EventName = keyof Catalogue;
/** What an event carries beside its prompt and actor. */
export type EventData<N extends EventName> = Catalogue[N] extends EventDefinition<infer D> ? D : never;

/** Every event that webhooks can be sent, in the order in which the documentation shows them. */
export const events: { readonly [N in EventName]: EventDefinition<EventData<N>> } = brought("events");

/** The fields that every event has, also an event of a newer server that this package does not know. */
export interface WebhookEnvelope {
  id: string;
  event: string;
  createdAt: string;
  data: Record<string, unknown>;
}

/**
 * The body of a delivery. `id` stays the same when it is sent again: de-duplicate on it, order by `createdAt`.
 *
 * `event` tells them apart. It is a union of the events of this version; whatever else comes passes through as it is,
 * so ignore what you do not know: in the `default` of a switch it is a `WebhookEnvelope`.
 */
export type WebhookEvent = {
  [N in EventName]: {
    id: string;
    event: N;
    createdAt: string;
    data: EventData<N> & (N extends "ping" ? {} : EventAbout);
  };
}[EventName];

/** What a receiver finds in `data` of an event. */
export type EventDataOf<N extends EventName> = Extract<WebhookEvent, { event: N }>["data"];

/** A whole delivery body of an event, as a receiver would get it. */
export function exampleEnvelope(name: EventName): Record<string, unknown> {
  const origin = "https://prompts.example";
  const about = {
    prompt: {
      id: "prm_01jc0000000000000000000000",
      ref: "alice/pr-review",
      url: `${origin}/alice/pr-review`,
    },
    actor: { id: "usr_01ja0000000000000000000000", handle: "alice", url: `${origin}/alice` },
  };
  return {
    id: "evt_01jd0000000000000000000000",
    event: name,
    createdAt: "2026-11-20T09:30:00.000Z",
    data: { ...(name !== "ping" && about), ...(events[name].example as object) },
  };
}
