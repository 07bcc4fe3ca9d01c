import * as z from "zod";
import { id, timestamp, versionNumber } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { MakeSummary } from "../makes/schemas.ts";
import { PromptSummary } from "../prompts/schemas.ts";
import { UserRef } from "../users/schemas.ts";

/** What is ranked. */
export type Board = "prompts" | "makes" | "creators" | "evals";
export const Board: Schema<Board> = z.enum(["prompts", "makes", "creators", "evals"]).meta({ id: "Board" });
/** What counts: what happened in this time until the board was counted. */
export type BoardWindow = "24h" | "7d" | "30d" | "all";
export const BoardWindow: Schema<BoardWindow> = z
  .enum(["24h", "7d", "30d", "all"])
  .meta({ id: "BoardWindow" });

/** The eval run with which a prompt is on a board: the latest of its version, model and dataset. */
export interface BestRun {
  id: string;
  versionNumber: number;
  model: string;
  dataset: { id: string; name: string };
  /** How many cases have a result that was not skipped. */
  cases: number;
  /** The share of the weight of all results that passed (0 to 1). It is the score of the item. */
  passRate: number;
  finishedAt: string;
}
const BestRun: Schema<BestRun> = z
  .strictObject({
    id: id("run"),
    versionNumber,
    model: z.string(),
    dataset: z.strictObject({ id: id("eds"), name: z.string() }),
    cases: z.int(),
    passRate: z.number(),
    finishedAt: timestamp,
  })
  .meta({ id: "BestRun" });

/** A prompt with its best run. */
export interface EvaluatedPrompt {
  prompt: PromptSummary;
  run: BestRun;
}
const EvaluatedPrompt: Schema<EvaluatedPrompt> = z
  .strictObject({ prompt: PromptSummary, run: BestRun })
  .meta({ id: "EvaluatedPrompt" });

/** Something on a board. Its `entity` is what the board ranks: a prompt, a make, an account, or a prompt with its best run. */
export interface BoardItem {
  /** Its place among what you are shown, with the filters that you sent: 1, 2, … */
  rank: number;
  /** The same in the count before, about an hour earlier. Null if it was not there. */
  previousRank: number | null;
  /**
   * Points for what others did in the window, once for each person: 3 for a star, 5 for a fork, 2 for an install, 4 for an approved make.
   * Creators have the sum of their works; `evals` has the pass rate.
   */
  score: number;
  entity: PromptSummary | MakeSummary | UserRef | EvaluatedPrompt;
}
const BoardItem: Schema<BoardItem> = z
  .strictObject({
    rank: z.int(),
    previousRank: z.int().nullable(),
    score: z.number(),
    entity: z.union([PromptSummary, MakeSummary, UserRef, EvaluatedPrompt]),
  })
  .meta({ id: "BoardItem" });

/** A page of a board. All pages of one reading show the board as it was counted at `computedAt`. */
export interface Leaderboard {
  board: Board;
  window: BoardWindow;
  /** When it was counted. Null before the first time. */
  computedAt: string | null;
  items: BoardItem[];
  nextCursor: string | null;
}
export const Leaderboard: Schema<Leaderboard> = z
  .strictObject({
    board: Board,
    window: BoardWindow,
    computedAt: z.nullable(timestamp),
    items: z.array(BoardItem),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: "Leaderboard" });
