import type { Contest, EligibleWork } from "@promptreg/core";
import type { Handler } from "../../kernel/handler.ts";
import { selectEligible } from "./eligible.sql.ts";
import { selectContests } from "./list.sql.ts";
import { lookingOf } from "../../kernel/media/looking.ts";
import { settleForRead } from "./settle.ts";
import { selectContest } from "./shown.sql.ts";

export const list: Handler<"contests.list"> = async ({ query, caller, page, sql, server }) => {
  const wanted = { wanted: query.status, page, ...lookingOf(caller, server) };
  let rows = await selectContests(sql, wanted);
  if (rows.some(({ isDue }) => isDue)) {
    await settleForRead(server);
    rows = await selectContests(sql, wanted);
  }
  return page.reply<Contest>(rows);
};

export const get: Handler<"contests.get"> = async ({ caller, target: { id, isDue }, sql, server }) => {
  if (isDue) await settleForRead(server);
  return { status: 200, json: await selectContest(sql, { id, ...lookingOf(caller, server) }) };
};

export const eligible: Handler<"contests.eligible"> = async ({
  query: { type },
  caller,
  target: contest,
  page,
  sql,
  server,
}) =>
  page.reply<EligibleWork>(await selectEligible(sql, { contest, type, page, ...lookingOf(caller, server) }));
