import type { Schema } from "./operation.ts";

/** How closely an account follows a prompt. */
export type WatchLevel = "releases" | "all";

/** One event of the catalogue: what it says beside its prompt and actor, and who hears of it. */
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

export const event = <D>(
  definition: Omit<EventDefinition<D>, "isSubscribable"> & { isSubscribable?: boolean },
): EventDefinition<D> => ({ isSubscribable: true, ...definition });
