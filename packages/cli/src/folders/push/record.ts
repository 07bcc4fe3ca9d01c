import type { Pushed, Pushing } from "./types.ts";
import { type State, stateOf, writeState } from "../local/state.ts";
import type { StatePlace } from "../local/state-file.ts";

/** Keeps in the folder what was pushed from it. The push is done: that it cannot be kept is but a remark. */
export async function recordPush(
  { origin }: Pushing,
  place: StatePlace,
  pushed: Pushed,
  { id, about }: Pick<State, "id" | "about">,
): Promise<Pushed> {
  const { ref, versionNumber, files } = pushed;
  try {
    const version = versionNumber ?? 1;
    // What was pulled and not pushed can still be thrown away.
    const isKept = files.length === 0;
    const last = await stateOf(place, origin, { id });
    const from = (isKept && last?.from?.filter((n) => n < version)) || [];
    const source = isKept || !last?.source ? last?.source : { version: last.source.version };
    await writeState(place, origin, {
      id,
      ref,
      version,
      ...(from.length > 0 && { from }),
      ...(source && { source }),
      about,
    });
    return pushed;
  } catch (error) {
    return withWarning(pushed, "state_not_written", error);
  }
}

/** Adds a remark on what was not done beside the push. */
export const withWarning = (pushed: Pushed, code: string, error: unknown): Pushed => ({
  ...pushed,
  warnings: [...pushed.warnings, { code, path: "", message: (error as Error).message }],
});
