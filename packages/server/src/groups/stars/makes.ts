import type { HandlerWith } from "../../kernel/handler.ts";
import { countStars, deleteMakeStar, insertMakeStar } from "./stars.sql.ts";

export const add: HandlerWith<"stars.makes.add", {}> = {
  lock: "share",

  async handle({ caller, target: make, sql }) {
    const { count: added } = await insertMakeStar(sql, { userId: caller.id, makeId: make.id });
    return { status: 200, json: { starred: true, starCount: await countStars(sql, make.id, added) } };
  },
};

export const remove: HandlerWith<"stars.makes.remove", {}> = {
  lock: "share",

  async handle({ caller, target: make, sql }) {
    const { count: removed } = await deleteMakeStar(sql, { userId: caller.id, makeId: make.id });
    return { status: 200, json: { starred: false, starCount: await countStars(sql, make.id, -removed) } };
  },
};
