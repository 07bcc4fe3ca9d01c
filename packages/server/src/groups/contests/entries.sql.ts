import type { JsonText, PutScore, Score } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Site } from "../../kernel/accounts/accounts.ts";
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

/** Whose vote in which contest. */
interface Voting {
  contestId: string;
  userId: string;
}

/** How many votes an account has given in a contest, and whether one is for this entry. Those for what was disqualified are free again. */
export async function countVotes(
  sql: Sql,
  { contestId, userId, entryId }: Voting & { entryId: string },
): Promise<{ given: number; hasVoted: boolean }> {
  const [row] = await sql<{ given: number; hasVoted: boolean }[]>`
    select count(*) filter (where e.disqualified_at is null)::int as given, coalesce(bool_or(v.entry_id = ${entryId}), false) as "hasVoted"
    from (select * from contest_votes where contest_id = ${contestId} and user_id = ${userId} offset 0) v
      cross join lateral (select disqualified_at from contest_entries where id = v.entry_id offset 0) e`;
  return row ?? { given: 0, hasVoted: false };
}

export const insertVote = (
  sql: Sql,
  { contestId, userId, entryId, ipHash }: Voting & { entryId: string; ipHash: Buffer },
) => sql`
  insert into contest_votes (entry_id, user_id, contest_id, ip_hash) values (${entryId}, ${userId}, ${contestId}, ${ipHash})`;

export const deleteVote = (sql: Sql, { userId, entryId }: { userId: string; entryId: string }) =>
  sql`delete from contest_votes where entry_id = ${entryId} and user_id = ${userId}`;

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
        select round(sum((one ->> 'weight')::numeric * (scores ->> (one ->> 'key'))::numeric) / sum((one ->> 'weight')::numeric), 4)
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
