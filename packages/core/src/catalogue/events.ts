import type { EventAbout, EventDefinition } from "../language/event.ts";
import { type Brought, brought } from "./groups.ts";

type Catalogue = Brought<"events">;

/** The name of an event, as in `Service-Event` and in the envelope. */
export type EventName = keyof Catalogue;
/** The data of an event, without its prompt and actor. */
export type EventData<N extends EventName> = Catalogue[N] extends EventDefinition<infer D> ? D : never;

/** Every event that webhooks can receive, in the order of the documentation. */
export const events: { readonly [N in EventName]: EventDefinition<EventData<N>> } = brought("events");

/** The fields of every event, also of one that only a newer server knows. */
export interface WebhookEnvelope {
  id: string;
  event: string;
  createdAt: string;
  data: Record<string, unknown>;
}

/** What comments are about: on a make there may be no prompt. */
interface AboutAnything {
  /** Null if the comment is about no prompt. */
  prompt: EventAbout["prompt"] | null;
  actor: EventAbout["actor"];
}

type DataByName = {
  [N in EventName]: EventData<N> &
    (N extends "ping" ? {} : N extends "comment.created" ? AboutAnything : EventAbout);
};

/**
 * The body of a delivery. A redelivery has the same `id`: de-duplicate by it, and order by `createdAt`.
 *
 * The union contains the events of the specification; `event` is the discriminant. Other events pass through unchanged, so ignore
 * unknown ones: in the `default` of a switch, use it as a `WebhookEnvelope`.
 */
export type WebhookEvent = {
  [N in keyof DataByName]: { id: string; event: N; createdAt: string; data: DataByName[N] };
}[keyof DataByName];

/** The `data` of an event as a receiver gets it. */
export type EventDataOf<N extends WebhookEvent["event"]> = DataByName[N];

/** An example of the complete body of an event's delivery. */
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
