import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { count, selectCount } from "../../kernel/changes/counters.ts";
import type { HandlerWith } from "../../kernel/handler.ts";
import { deleteStar, insertStar } from "./stars.sql.ts";

/** Counts the stars that came or went, and says how many there are now. */
async function countStars(sql: Sql, promptId: string, delta: number): Promise<number> {
  const stars = { subjectId: promptId, name: "stars" };
  if (delta !== 0) await count(sql, { ...stars, delta });
  return selectCount(sql, stars);
}

export const add: HandlerWith<"stars.prompts.add", {}> = {
  lock: "share",

  async handle({ caller, target: prompt, sql }) {
    if (prompt.status === "draft") throw apiError("prompt_not_published");
    const { count: added } = await insertStar(sql, { userId: caller.id, promptId: prompt.id });
    return { status: 200, json: { starred: true, starCount: await countStars(sql, prompt.id, added) } };
  },
};

export const remove: HandlerWith<"stars.prompts.remove", {}> = {
  lock: "share",

  async handle({ caller, target: prompt, sql }) {
    const { count: removed } = await deleteStar(sql, { userId: caller.id, promptId: prompt.id });
    return { status: 200, json: { starred: false, starCount: await countStars(sql, prompt.id, -removed) } };
  },
};
