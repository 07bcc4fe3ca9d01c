import * as z from "zod";
import { type PageQuery, pageQuery } from "../../language/list.ts";
import type { Schema } from "../../language/schema.ts";
import { json, op } from "../../operations/operation.ts";
import { PromptKind, tag } from "../prompts/schemas.ts";
import { Board, BoardWindow, Leaderboard } from "./schemas.ts";

/** A board's address. */
export interface BoardPath {
  board: Board;
}
const BoardPath: Schema<BoardPath> = z.strictObject({ board: Board });

/** Which part of a board to show. Filters choose from the best 1,000 of the board. */
export interface BoardQuery extends PageQuery {
  /** What counts. Default: `7d`. */
  window?: BoardWindow;
  /** Only prompts of this kind. For `prompts` and `evals`. */
  kind?: PromptKind;
  /** Only what has this tag. For `prompts`, `makes` and `evals`. */
  tag?: string;
}
const BoardQuery: Schema<BoardQuery> = z.strictObject({
  ...pageQuery(),
  window: BoardWindow.optional(),
  kind: PromptKind.optional(),
  tag: tag.optional(),
});

export const leaderboards = {
  /**
   * Gets a board: the best first. It is counted once an hour, and shows of that what you can find now. A cursor is valid for an hour at
   * least; then begin again.
   */
  get: op({
    route: "GET /leaderboards/{board}",
    access: { auth: "optional", scope: "read" },
    params: BoardPath,
    query: BoardQuery,
    results: { 200: json(Leaderboard) },
    errors: ["invalid_cursor"],
  }),
};
