import * as z from "zod";
import { id, ref } from "./fields.ts";
import type { Schema } from "./schema.ts";

/** The level at which an account watches a prompt. */
export type WatchLevel = "releases" | "all";

/** The prompt an event is about. */
export interface EventPrompt {
  id: string;
  /** `owner/slug` at the time of the event. */
  ref: string;
  url: string;
}
export const EventPrompt: Schema<EventPrompt> = z
  .strictObject({ id: id("prm"), ref, url: z.string() })
  .meta({ id: "EventPrompt" });

/** The person behind an event; null where the system acted. */
export interface EventActor {
  id: string;
  handle: string;
  url: string;
}

/** What every event but `ping` carries beside its own data. */
export interface EventAbout {
  prompt: EventPrompt;
  actor: EventActor | null;
}

/** One event of the catalogue: its own data, and who receives it. */
export interface EventDefinition<D = unknown> {
  description: string;
  /** The levels at which watchers of a public prompt receive it; its owner always does. */
  watchLevels: readonly WatchLevel[];
  /** False for `ping`, which only a test sends. */
  isSubscribable: boolean;
  /** What `data` holds beside `prompt` and `actor`. */
  data: Schema<D>;
  example: D;
}

/** Defines an event, which can be subscribed to unless `isSubscribable` is false. */
export const event = <D>(
  definition: Omit<EventDefinition<D>, "isSubscribable"> & { isSubscribable?: boolean },
): EventDefinition<D> => ({ isSubscribable: true, ...definition });
