import type { ContestStatus, ContestEntry } from "@promptreg/core";
import { apiError, invalid } from "@promptreg/core/errors";
import { lockAccount } from "../../kernel/accounts/accounts.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import { selectReason } from "./eligible.sql.ts";
import { deleteEntry, deleteVote, insertEntry, insertVote, putScore } from "./entries.sql.ts";
import { selectEntries } from "./list.sql.ts";
import { settleForRead } from "./settle.ts";
import { lookingOf } from "../../kernel/media/looking.ts";
import { selectEntry } from "./shown.sql.ts";
import type { ContestRow, EntryRow } from "./target.ts";

/** @throws {ApiError} `code` outside of the given phases. */
function requirePhase(
  { status }: ContestRow,
  phases: readonly ContestStatus[],
  code: "contest_not_open" | "contest_not_voting" | "contest_not_judging",
): void {
  if (!phases.includes(status)) throw apiError(code);
}

export const list: Handler<"contests.entries.list"> = async ({
  query,
  caller,
  target: contest,
  page,
  sql,
  server,
}) => {
  if (contest.isDue) await settleForRead(server);
  if (query.sort === "rank" && contest.status !== "closed")
    throw invalid(
      "/sort",
      "Ranks are shown when the contest is closed. Until then sort by newest or random.",
    );
  const wanted = { contestId: contest.id, query, page, ...lookingOf(caller, server) };
  return page.reply<ContestEntry>(await selectEntries(sql, wanted));
};

export const create: HandlerWith<"contests.entries.create", {}> = {
  lock: "share",

  async handle({ body: { statement = null }, caller, target: contest, others: { work }, sql, server }) {
    requirePhase(contest, ["open"], "contest_not_open");
    await lockAccount(sql, caller.id);
    const { type, id: targetId } = work;
    const versionNumber = work.type === "prompt" ? work.latestVersion : null;
    const entry = { contestId: contest.id, ownerId: caller.id, targetId, versionNumber, statement };
    const reason = await selectReason(sql, { contest, caller, type, targetId });
    if (reason !== null && reason !== "entry_limit")
      throw apiError("not_eligible", { message: whyNot[reason] });
    // First, since what is in the contest is none too many.
    const id = await insertEntry(sql, entry);
    if (id === null) throw apiError("entry_exists");
    if (reason !== null) throw apiError("entry_limit");
    return {
      status: 201,
      json: await selectEntry(sql, { id, ...lookingOf(caller, server) }),
      location: `${server.publicUrl}/api/v1/contests/${contest.slug}/entries`,
    };
  },
};

const whyNot = {
  type_not_accepted: "This contest does not take what this is. Its `accepts` says what it takes.",
  kind_not_accepted: "This contest does not take prompts of this kind. Its `kinds` says which it takes.",
  not_published: "This is not published, or no version of it is left to use. Publish it first.",
  not_public: "This is not public. Make it public first.",
};

const remove: Handler<"contests.entries.delete"> = async ({ target: entry, sql, audit }) => {
  if (entry.contest.status === "closed") throw apiError("contest_closed");
  // It would be free to be entered anew.
  if (entry.isDisqualified)
    throw apiError("forbidden", { message: "A disqualified entry cannot be withdrawn." });
  await deleteEntry(sql, entry.id);
  await audit("contest.withdraw", entry.id, { contestId: entry.contest.id });
  return { status: 204 };
};
export { remove as delete };

export const score: HandlerWith<"contests.entries.score", {}> = {
  lock: "share",

  async handle({ body, caller, target: entry, sql, server: { publicUrl } }) {
    const { criteria } = entry.contest;
    requirePhase(entry.contest, ["voting", "judging"], "contest_not_judging");
    const keys = criteria.map(({ key }) => key);
    const unknown = Object.keys(body.scores).find((key) => !keys.includes(key));
    const missing = keys.find((key) => !Object.hasOwn(body.scores, key));
    const wrong = unknown ?? missing;
    if (wrong !== undefined)
      throw invalid(`/scores/${wrong}`, `Score each of these, and nothing else: ${keys.join(", ")}.`);
    return {
      status: 200,
      json: await putScore(sql, { ...body, entryId: entry.id, judgeId: caller.id, publicUrl }),
    };
  },
};

const votingOf = ({ contest, id: entryId }: EntryRow, { id: userId }: Caller) => ({
  contestId: contest.id,
  userId,
  entryId,
});

const left = ({ contest: { votesPerUser } }: EntryRow, given: number): number =>
  Math.max(0, votesPerUser - given);

export const vote: HandlerWith<"contests.entries.vote", {}> = {
  lock: "share",

  async handle({ caller, target: entry, network, sql, server: { secrets } }) {
    requirePhase(entry.contest, ["voting"], "contest_not_voting");
    const ipHash = secrets.addresses.digest(network);
    const { given, hasVoted } = await insertVote(sql, { ...votingOf(entry, caller), ipHash });
    if (!hasVoted && given >= entry.contest.votesPerUser) throw apiError("vote_limit");
    return { status: 200, json: { voted: true, votesLeft: left(entry, hasVoted ? given : given + 1) } };
  },
};

export const unvote: HandlerWith<"contests.entries.unvote", {}> = {
  lock: "share",

  async handle({ caller, target: entry, sql }) {
    requirePhase(entry.contest, ["voting"], "contest_not_voting");
    const { given, hasVoted } = await deleteVote(sql, votingOf(entry, caller));
    return { status: 200, json: { voted: false, votesLeft: left(entry, hasVoted ? given - 1 : given) } };
  },
};
