import type { notificationCatalogue } from "@promptreg/core";
import { limitTo } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { NotifyJob } from "../../kernel/changes/notify.ts";
import { isDue, isWinner } from "./target.ts";
import { competes } from "./works.sql.ts";

/** The contests that are over and have no result, whoever finds them first. */
export async function selectDue(sql: Sql): Promise<string[]> {
  const rows = await sql<
    { id: string }[]
  >`select c.id from contests c where ${isDue(sql)} order by c.judging_closes_at`;
  return rows.map(({ id }) => id);
}

/** Locks a contest whose result is due, so that what was in time is committed; null if another has computed it meanwhile. */
export async function lockDue(sql: Sql, id: string): Promise<{ slug: string; title: string } | null> {
  const [row] = await sql<{ slug: string; title: string }[]>`
    select c.slug, c.title from contests c where c.id = ${id} and ${isDue(sql)} for update`;
  return row ?? null;
}

/**
 * Ranks what is given as `id, created_at, votes, judged`, and stores it as the next result of a contest, whose row is locked. The score is
 * the share of the judges and that of the votes, of which the entry with the most has all. Who gets nothing of one has 0 of it. It is rounded
 * here and nowhere before, so that its last digit is that of whoever computes it by hand. Equal scores, as they are shown, are ranked by who
 * entered first.
 */
const storeResult = (
  sql: Sql,
  { contestId, counted, reason }: { contestId: string; counted: Fragment; reason: string | null },
) => sql`
  with c as (
    update contests set result_n = coalesce(result_n, 0) + 1, updated_at = clock(), revision = revision + 1 where id = ${contestId}
    returning id, result_n, judge_weight
  ), result as (
    insert into contest_results (contest_id, n, reason) select id, result_n, ${reason} from c
  ), scored as (
    select counted.*, round(c.judge_weight * coalesce(judged, 0)
      + coalesce((1 - c.judge_weight) * 10 * votes / nullif(max(votes) over (), 0), 0), 4) as score
    from (${counted}) counted, c
  )
  insert into contest_places (contest_id, n, rank, entry_id, votes, judged, score)
  select c.id, c.result_n, row_number() over (order by score desc, scored.created_at, scored.id), scored.id, votes, judged, score
  from scored, c`;

/**
 * Counts the votes and the scores of a contest that is over, and stores the first result. Of accounts that were suspended at the end
 * nothing counts, and of those who are no judges any more neither.
 */
export const storeFirst = (sql: Sql, contestId: string) => {
  const wasSuspended = sql`u.suspended_at <= c.judging_closes_at`;
  return storeResult(sql, {
    contestId,
    reason: null,
    counted: sql`
      select e.id, e.created_at, v.votes, s.judged
      from (select * from contests where id = ${contestId} offset 0) c
        join contest_entries e on e.contest_id = c.id
        cross join lateral (
          select count(*)::int as votes from (select user_id from contest_votes where entry_id = e.id offset 0) v
          where (select ${wasSuspended} from users u where u.id = v.user_id) is not true
        ) v cross join lateral (
          select avg(s.total) as judged from (select * from contest_scores where entry_id = e.id offset 0) s
            join contest_judges j on j.contest_id = c.id and j.user_id = s.judge_id
          where (select ${wasSuspended} from users u where u.id = s.judge_id) is not true
        ) s
      where e.disqualified_at is null and ${competes(sql)}`,
  });
};

/** Stores another result, without an entry, and with nothing else than what the last one counted. */
export const storeWithout = (
  sql: Sql,
  { contestId, entryId, reason }: { contestId: string; entryId: string; reason: string },
) =>
  storeResult(sql, {
    contestId,
    reason,
    counted: sql`
      select e.id, e.created_at, r.votes, r.judged
      from contest_places r cross join lateral (select * from contest_entries where id = r.entry_id offset 0) e
      where r.contest_id = ${contestId} and r.n = (select result_n from contests where id = ${contestId}) and r.entry_id <> ${entryId}`,
  });

/** Who hears of a result: entrants, with the best place of theirs, and judges. */
export const selectParties = (sql: Sql, contestId: string) => sql<{ userId: string; rank: number | null }[]>`
  select party.id as "userId", min(r.rank) filter (where ${isWinner(sql)}) as rank
  from (
    select owner_id as id, id as entry_id from contest_entries where contest_id = ${contestId}
    union all select user_id, null from contest_judges where contest_id = ${contestId}
  ) party left join lateral (select * from contest_places where entry_id = party.entry_id offset 0) r on true
  group by party.id order by party.id`;

type ClosedContest = Parameters<(typeof notificationCatalogue)["contest.closed"]>[0];

/** What another result changes for an account, as its job has it. The worker knows the address of the registry, an operator's command does not. */
export interface ChangeJob extends Pick<NotifyJob, "id" | "userId" | "createdAt"> {
  contest: Omit<ClosedContest, "url">;
}

/** Leaves it to a worker to tell those whose place among the winners the last result of a contest changed, and whose entry it is without. */
export const leaveChanges = (sql: Sql, { contestId, reason }: { contestId: string; reason: string }) => sql`
  with place as (
    select e.owner_id as account, r.n = c.result_n as is_last, case when ${isWinner(sql)} then r.rank end as rank
    from contests c join contest_places r on r.contest_id = c.id and r.n >= c.result_n - 1
      cross join lateral (select owner_id from contest_entries where id = r.entry_id offset 0) e
    where c.id = ${contestId}
  ), change as (
    select account, min(rank) filter (where is_last) as rank, min(rank) filter (where not is_last) as former,
      count(*) filter (where is_last) < count(*) filter (where not is_last) as is_disqualified
    from place group by account
  )
  insert into outbox (task, payload)
  select 'contest-changed', json_build_object('id', new_id('ntf'), 'userId', account, 'createdAt', iso(clock()), 'contest',
    json_build_object('slug', c.slug, 'title', c.title, 'rank', rank,
      'changed', json_build_object('reason', ${reason}::text, 'isDisqualified', is_disqualified)))
  from change, contests c where c.id = ${contestId} and (is_disqualified or rank is distinct from former)`;

/** Addresses that one statement forgets. */
const someVotes = limitTo(10_000);

/** Forgets from where people voted, thirty days after the result. */
export async function forgetAddresses(sql: Sql): Promise<void> {
  for (let forgotten = 10_000; forgotten === 10_000; ) {
    ({ count: forgotten } = await sql`
      update contest_votes set ip_hash = null where ctid = any (array(
        select v.ctid from contest_results r
          cross join lateral (
            select ctid from contest_votes where contest_id = r.contest_id and ip_hash is not null offset 0
          ) v
        where r.n = 1 and r.decided_at < clock() - interval '30 days' ${someVotes(sql)}))`);
  }
}
