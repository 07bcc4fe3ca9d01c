import type { VersionScore } from "@promptreg/core";
import type { Handler } from "../../kernel/handler.ts";
import { selectScores } from "./scores.sql.ts";
import { seesPrivate } from "../../kernel/accounts/ownership.ts";

export const scores: Handler<"evals.scores"> = async ({ query, caller, target: prompt, page, sql }) => {
  const isOwner = seesPrivate(caller, prompt);
  return page.reply<VersionScore>(
    await selectScores(sql, { promptId: prompt.id, wanted: query, page, isOwner }),
  );
};
