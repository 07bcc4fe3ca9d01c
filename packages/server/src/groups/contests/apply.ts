import { isDeepStrictEqual } from "node:util";
import { DatabaseSetupError } from "../../database/connection.ts";
import type { Sql } from "../../database/sql.ts";
import { render } from "../../kernel/markdown/rendered.ts";
import {
  insertContest,
  lockContest,
  putJudges,
  selectJudges,
  selectWritten,
  updateContest,
  type Written,
} from "./apply.sql.ts";

const times = ["opensAt", "entriesCloseAt", "votingClosesAt", "judgingClosesAt"] as const;
type Time = (typeof times)[number];

/** From which time on a field stays as it is: people act on it from then on. Other texts can always change. */
const fixedFrom: { readonly [Field in keyof Written]?: Time } = {
  accepts: "opensAt",
  prizes: "opensAt",
  kinds: "opensAt",
  entriesPerUser: "opensAt",
  votesPerUser: "entriesCloseAt",
  criteria: "entriesCloseAt",
  judgeWeight: "entriesCloseAt",
  judges: "judgingClosesAt",
};

const isTime = (field: string): field is Time => times.includes(field as Time);

/** Why a field cannot change now; null if it can. */
function refusal(
  field: keyof Written,
  { before, after, now, hasResult }: { before: Written; after: Written; now: string; hasResult: boolean },
): string | null {
  const isPast = (time: Time) => hasResult || before[time] <= now;
  if (isTime(field)) {
    if (isPast(field)) return `${field} is past`;
    return after[field] < now ? `${field} cannot be put into the past` : null;
  }
  const time = fixedFrom[field];
  return time !== undefined && isPast(time) ? `${field} stays as it is from ${time} on` : null;
}

/**
 * Makes a contest what its file says, in a transaction, and gives the fields that changed; null for a new one.
 * @throws {DatabaseSetupError} that names each field that cannot change any more.
 */
export async function applyContest(
  sql: Sql,
  after: Written,
): Promise<{ id: string; changed: string[] | null }> {
  const judges = await selectJudges(sql, after.judges);
  const unknown = after.judges.find((handle) => !judges.has(handle));
  if (unknown !== undefined) throw new DatabaseSetupError(`judges: there is no account ${unknown}.`);
  const rendered = {
    description: await render(after.description),
    rules: await render(after.rules),
    prizes: await render(after.prizes),
  };
  await lockContest(sql, after.slug);
  // Another statement, so that its time is after the lock.
  const { now, contest } = await selectWritten(sql, after.slug);
  if (contest === null) {
    if (after.judgingClosesAt <= now)
      throw new DatabaseSetupError("judgingClosesAt is past: a new contest must not be over.");
    const id = await insertContest(sql, after, rendered);
    await putJudges(sql, id, [...judges.values()]);
    return { id, changed: null };
  }
  const { id, hasResult, written: before } = contest;
  const changed = (Object.keys(before) as (keyof Written)[]).filter(
    (field) => !isDeepStrictEqual(before[field], after[field]),
  );
  const refused = changed.flatMap((field) => refusal(field, { before, after, now, hasResult }) ?? []);
  if (refused.length > 0)
    throw new DatabaseSetupError(
      `Nothing was changed, since this cannot change any more: ${refused.join("; ")}.`,
    );
  if (changed.length > 0) {
    await updateContest(sql, id, after, rendered);
    await putJudges(sql, id, [...judges.values()]);
  }
  return { id, changed };
}
