import { apiError } from "@promptreg/core/errors";
import type { HandlerWith } from "../../kernel/handler.ts";
import { countStars, deleteStar, insertStar } from "./stars.sql.ts";

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
