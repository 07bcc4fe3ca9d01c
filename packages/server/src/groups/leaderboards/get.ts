import type { Board, BoardQuery, Leaderboard } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Handler } from "../../kernel/handler.ts";
import { lookingOf } from "../../kernel/media/looking.ts";
import { extend } from "../prompts/index.ts";
import { selectCount } from "./boards.sql.ts";
import { selectPlaces } from "./shown.sql.ts";

const filters: Record<Board, readonly (keyof BoardQuery)[]> = {
  prompts: ["kind", "tag"],
  makes: ["tag"],
  creators: [],
  evals: ["kind", "tag"],
};

export const get: Handler<"leaderboards.get"> = async ({
  params: { board },
  query,
  page,
  caller,
  sql,
  server,
}) => {
  for (const filter of ["kind", "tag"] as const) {
    if (query[filter] === undefined || filters[board].includes(filter)) continue;
    const message = `The board ${board} has no filter "${filter}".`;
    const details = [{ path: `/${filter}`, code: "unrecognized_keys", message }];
    throw apiError("validation_failed", { message, details });
  }
  const window = query.window ?? "7d";
  const at = page.after === null ? null : String(page.after[0]);
  const count = await selectCount(sql, { board, window, at });
  if (count === null && at !== null)
    throw apiError("invalid_cursor", {
      message: "The board was counted anew since this page was read. Begin again without a cursor.",
    });
  const rows = count
    ? await selectPlaces(sql, { board, window, query, count, page, ...lookingOf(caller, server) })
    : [];
  const reply = page.reply(rows);
  const about = JSON.stringify({ board, window, computedAt: count?.at ?? null }).slice(1, -1);
  return { ...reply, json: extend<Leaderboard>(reply.json, about) };
};
