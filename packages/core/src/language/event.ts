import * as z from "zod";
import { id, ref } from "./fields.ts";
import type { Schema } from "./schema.ts";

/** The level at which an account watches a prompt. */
export type WatchLevel = "releases" | "all";

/** The prompt of an event. */
export interface EventPrompt {
  id: string;
  /** `owner/slug` at the time of the event. */
  ref: string;
  url: string;
}
export const EventPrompt: Schema<EventPrompt> = z
  .strictObject({ id: id("prm"), ref, url: z.string() })
  .meta({ id: "EventPrompt" });

/** The person who caused an event; null if the system did. */
export interface EventActor {
  id: string;
  handle: string;
  url: string;
}

/** The data that every event except `ping` has, in addition to its own. */
export interface EventAbout {
  prompt: EventPrompt;
  actor: EventActor | null;
}

/** One event of the catalogue: its data, and who receives it. */
export interface EventDefinition<D = unknown> {
  description: string;
  /** The levels at which watchers of a public prompt receive it. The owner always does. */
  watchLevels: readonly WatchLevel[];
  /** False for `ping`, which only a test sends. */
  isSubscribable: boolean;
  /** Its `data.prompt` can be null: it can be about a thing that belongs to no prompt. */
  isPromptOptional?: true;
  /** The fields of `data` except `prompt` and `actor`. */
  data: Schema<D>;
  example: D;
}

/** Defines an event. Webhooks can subscribe to it, unless `isSubscribable` is false. */
export const event = <D>(
  definition: Omit<EventDefinition<D>, "isSubscribable"> & { isSubscribable?: boolean },
): EventDefinition<D> => ({ isSubscribable: true, ...definition });
