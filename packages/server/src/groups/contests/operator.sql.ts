import type { Sql } from "../../database/sql.ts";
import { leaveChanges, storeWithout } from "./result.sql.ts";
import { status } from "./target.ts";

// What the operator of the registry is shown, and does.

export const listContests = (sql: Sql) => sql<object[]>`
  select c.slug, ${status(sql)} as status, iso(c.opens_at) as opens, iso(c.judging_closes_at) as closes,
    (select count(*)::int from contest_entries where contest_id = c.id) as entries
  from contests c order by c.opens_at desc, c.id desc`;

/** All entries of a contest, with what nobody else is shown before its end, and then with the votes that its result counted. */
export const listAllEntries = (sql: Sql, contestId: string) => sql<object[]>`
  select e.id as entry, coalesce(
      (select o.handle || '/' || p.slug from prompts p join users o on o.id = p.owner_id where p.id = e.target_id),
      (select slug from makes where id = e.target_id)) as work,
    u.handle as entrant, coalesce(r.votes, (select count(*)::int from contest_votes where entry_id = e.id)) as votes,
    (select count(*)::int from contest_scores where entry_id = e.id) as "scoredBy", r.rank, r.score::float8 as score,
    iso(e.disqualified_at) as disqualified
  from contest_entries e join contests c on c.id = e.contest_id join users u on u.id = e.owner_id
    left join contest_places r on r.entry_id = e.id and r.n = c.result_n
  where e.contest_id = ${contestId} order by r.rank, e.id`;

export const listResults = (sql: Sql, contestId: string) => sql<
  { n: number; decided: string; reason: string | null }[]
>`
  select n, iso(decided_at) as decided, reason from contest_results where contest_id = ${contestId} order by n`;

/** Who voted for an entry, the youngest accounts first. Equal addresses are those from which several voted for it. */
export const listVoters = (sql: Sql, entryId: string) => sql<object[]>`
  select u.handle as voter, iso(v.voted_at) as voted, iso(u.created_at) as joined,
    floor(extract(epoch from v.voted_at - u.created_at) / 86400)::int as "daysOld", left(encode(v.ip_hash, 'hex'), 12) as address,
    case when v.ip_hash is not null then (count(*) over (partition by v.ip_hash))::int end as "sameAddress",
    iso(u.suspended_at) as suspended
  from contest_votes v join users u on u.id = v.user_id
  where v.entry_id = ${entryId} order by u.created_at desc, u.id`;

/** Finds an entry of a contest; null if there is none. */
export async function findEntry(sql: Sql, { contestId, entryId }: { contestId: string; entryId: string }) {
  const [row] = await sql<{ isDisqualified: boolean }[]>`
    select disqualified_at is not null as "isDisqualified" from contest_entries where id = ${entryId} and contest_id = ${contestId}`;
  return row ?? null;
}

/** Finds a contest; null if there is none. */
export async function findContest(sql: Sql, slug: string): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`select id from contests where slug = ${slug}`;
  return row?.id ?? null;
}

/**
 * Takes an entry out of a contest whose row is locked: it is shown to its entrant alone, its votes are free again, and it has no place. Once
 * there is a result, another one is stored, which says why, and those are told whom it concerns. Gives whether that was so.
 */
export async function disqualifyEntry(
  sql: Sql,
  { contestId, entryId, reason }: { contestId: string; entryId: string; reason: string },
): Promise<boolean> {
  const [row] = await sql<{ hasResult: boolean }[]>`
    update contest_entries e set disqualified_at = clock() from contests c
    where e.id = ${entryId} and c.id = ${contestId} returning c.result_n is not null as "hasResult"`;
  if (!row?.hasResult) return false;
  await storeWithout(sql, { contestId, entryId, reason });
  await leaveChanges(sql, { contestId, reason });
  return true;
}
