import type { JsonText, PutScore, Score } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Fragment, Sql } from "../../database/sql.ts";
import { lockAccount, type Site } from "../../kernel/accounts/accounts.ts";
import { score } from "./shown.sql.ts";

interface NewEntry {
  contestId: string;
  ownerId: string;
  targetId: string;
  versionNumber: number | null;
  statement: string | null;
}

/** Enters something; null if it is in the contest already. */
export async function insertEntry(
  sql: Sql,
  { contestId, ownerId, targetId, versionNumber, statement }: NewEntry,
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    insert into contest_entries (contest_id, owner_id, target_id, version_n, statement)
    values (${contestId}, ${ownerId}, ${targetId}, ${versionNumber}, ${statement}) on conflict do nothing returning id`;
  return row?.id ?? null;
}

/** Withdraws an entry, with its votes and scores. */
export const deleteEntry = (sql: Sql, id: string) => sql`delete from contest_entries where id = ${id}`;

/** Whose vote, and for which entry. */
interface Voting {
  contestId: string;
  userId: string;
  entryId: string;
}

/** How many votes an account had given in a contest before a change, and whether one was for this entry. */
export interface Given {
  given: number;
  hasVoted: boolean;
}

/** The same, as a statement's source. Votes for what was disqualified are free again. */
const givenBy = (sql: Sql, { contestId, userId, entryId }: Voting): Fragment => sql`
  select count(*) filter (where e.disqualified_at is null)::int as given, coalesce(bool_or(v.entry_id = ${entryId}), false) as "hasVoted"
  from (select * from contest_votes where contest_id = ${contestId} and user_id = ${userId} offset 0) v
    cross join lateral (select disqualified_at from contest_entries where id = v.entry_id offset 0) e`;

/** Votes for an entry, unless that is done. If the vote is one too many, its caller throws, and it is rolled back. */
export async function insertVote(
  sql: Sql,
  { contestId, userId, entryId, ipHash }: Voting & { ipHash: Buffer },
): Promise<Given> {
  const [, [row]] = await lockedBy(
    sql,
    userId,
    sql<[Given]>`
    with mine as (${givenBy(sql, { contestId, userId, entryId })}), vote as (
      insert into contest_votes (entry_id, user_id, contest_id, ip_hash)
      select ${entryId}, ${userId}, ${contestId}, ${ipHash} from mine where not "hasVoted"
    )
    select * from mine`,
  );
  return row;
}

/** Takes a vote back, if there is one. */
export async function deleteVote(sql: Sql, voting: Voting): Promise<Given> {
  const [, [row]] = await lockedBy(
    sql,
    voting.userId,
    sql<[Given]>`
    with vote as (delete from contest_votes where entry_id = ${voting.entryId} and user_id = ${voting.userId})
    ${givenBy(sql, voting)}`,
  );
  return row;
}

/**
 * Runs a statement under the lock of its voter: so the votes of an account are counted one after the other, and wait for nobody else's.
 * Both are sent at once, and the second begins when the first has the lock.
 */
const lockedBy = <Row>(sql: Sql, userId: string, statement: PromiseLike<Row>) =>
  Promise.all([lockAccount(sql, userId), statement]);

/** Writes what a judge gives an entry, in place of what the judge gave it before. */
export async function putScore(
  sql: Sql,
  {
    entryId,
    judgeId,
    scores,
    comment = null,
    publicUrl,
  }: PutScore & { entryId: string; judgeId: string } & Site,
): Promise<JsonText<Score>> {
  const [row] = await sql<{ score: JsonText<Score> }[]>`
    with given as (
      select e.id, ${JSON.stringify(scores)}::text::jsonb as scores, c.criteria
      from contest_entries e join contests c on c.id = e.contest_id where e.id = ${entryId}
    ), s as (
      insert into contest_scores as s (entry_id, judge_id, scores, comment, total)
      select id, ${judgeId}, scores, ${comment}, (
        select sum((one ->> 'weight')::numeric * (scores ->> (one ->> 'key'))::numeric) / sum((one ->> 'weight')::numeric)
        from jsonb_array_elements(criteria) one)
      from given
      on conflict (entry_id, judge_id) do update set scores = excluded.scores, comment = excluded.comment, total = excluded.total,
        scored_at = clock()
      returning *
    )
    select ${score(sql, { publicUrl })}::text as score from s`;
  if (row === undefined) throw apiError("not_found");
  return row.score;
}
