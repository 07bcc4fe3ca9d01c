import type { LabelMove } from "@promptreg/client";

/** A move that took a label away from a version where it can go back to. */
export type UndoableMove = LabelMove & { fromVersionNumber: number };

/** How the reason of a rollback begins, by which later ones know it. */
const mark = "Rolled back from";

/** The reason of a rollback, with what somebody says of it. */
export const reasonOfRollback = (from: number | null, said?: string): string =>
  `${mark} ${from === null ? "no version" : `version ${from}`}${said === undefined ? "" : `: ${said}`}`;

/**
 * The moves that a rollback can undo, the next one first: neither rollbacks, nor undone by one.
 * @param moves newest first, as the registry lists them.
 */
export function undoableMoves(moves: readonly LabelMove[]): UndoableMove[] {
  const standing: LabelMove[] = [];
  for (const move of moves.toReversed()) {
    const undone = move.reason?.startsWith(mark)
      ? standing.findLastIndex(({ fromVersionNumber: from }) => from === move.toVersionNumber)
      : -1;
    if (undone === -1) standing.push(move);
    else standing.length = undone;
  }
  return standing.reverse().filter((move): move is UndoableMove => move.fromVersionNumber !== null);
}
