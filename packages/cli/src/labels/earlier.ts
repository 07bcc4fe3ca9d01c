import type { LabelMove } from "@promptreg/client";

/**
 * The versions that a label can go back to, the nearest first. A move to a version where it had been is read as going
 * back to it, past all that came since: so two rollbacks go back two moves, and never to what was rolled back.
 * @param moves newest first, as the registry lists them.
 */
export function earlierVersions(moves: readonly LabelMove[]): number[] {
  const path: number[] = [];
  for (const { toVersionNumber: to } of moves.toReversed()) {
    if (to === null) continue;
    const been = path.indexOf(to);
    if (been === -1) path.push(to);
    else path.length = been + 1;
  }
  // A label that was removed goes back to where it was then.
  if (moves[0]?.toVersionNumber !== null) path.pop();
  return path.toReversed();
}
