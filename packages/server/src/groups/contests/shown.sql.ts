import { one } from "../../database/rows.ts";
import type { Contest, ContestEntry, JsonText, Score, UserRef } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { columns, object, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { accountRef, type Site, userRef } from "../../kernel/accounts/accounts.ts";
import { htmlOf } from "../../kernel/markdown/rendered.ts";
import { isWinner, status } from "./target.ts";
import { isOwnEntry, type Looking, printedWork, shownWork } from "./works.sql.ts";

/** The JSON of `contest_scores s`. */
export const score = object<Score, Site>({
  entryId: "s.entry_id",
  judge: userRef("s.judge_id"),
  scores: "s.scores",
  comment: "s.comment",
  total: "round(s.total, 4)",
});

/** The place of `contest_entries e` of `contests c` in the result that holds, if there is one. */
export const placeOf = piece`(
  select * from contest_places where entry_id = e.id and n = c.result_n offset 0)`;

/**
 * The JSON of an entry, from `contests c`, its place `r` and a row `e` of `contest_entries` with its `type`. Before there is a result a
 * judge is shown the scores that the judge gave, and nobody anything else.
 */
export function printedEntry(sql: Sql, looking: Looking): Fragment {
  const id = looking.caller?.id ?? null;
  const viewer =
    id === null
      ? sql``
      : sql`, 'viewer', json_build_object('voted', exists (
          select from contest_votes where entry_id = e.id and user_id = ${id} offset 0), 'isOwn', ${isOwnEntry(sql, id)})`;
  return sql`
    json_build_object('id', e.id, 'type', e.type, 'target', ${printedWork(sql, looking, sql`e`)}, 'versionNumber', e.version_n,
      'entrant', ${userRef("e.owner_id")(sql, looking)}, 'statement', e.statement,
      'votes', r.votes, 'score', r.score, 'rank', r.rank, 'scores', (
        select coalesce(json_agg(${score(sql, looking)} order by s.scored_at, s.judge_id), '[]')
        from contest_scores s join contest_judges j on j.contest_id = c.id and j.user_id = s.judge_id
        where s.entry_id = e.id and (c.result_n is not null or s.judge_id = ${id})
      ), 'createdAt', iso(e.created_at)${viewer})`;
}

/** The best of `contests c`, as far as lists show them to a viewer. */
const winners = (sql: Sql, looking: Looking): Fragment => sql`(
  select coalesce(json_agg(${printedEntry(sql, looking)} order by r.rank), '[]')
  from (
    select * from contest_places r where r.contest_id = c.id and r.n = c.result_n and ${isWinner(sql)} offset 0) r
    cross join lateral (
      select e.*, work.type from (select * from contest_entries where id = r.entry_id offset 0) e
        cross join lateral ${shownWork(sql, looking)} work
    ) e)`;

const contestColumns = columns<Contest, Looking>({
  id: "c.id",
  slug: "c.slug",
  title: "c.title",
  description: "c.description",
  rules: "c.rules",
  prizes: "c.prizes",
  html: { description: htmlOf("c.description"), rules: htmlOf("c.rules"), prizes: htmlOf("c.prizes") },
  status,
  accepts: "c.accepts",
  kinds: "c.kinds",
  opensAt: "iso(c.opens_at)",
  entriesCloseAt: "iso(c.entries_close_at)",
  votingClosesAt: "iso(c.voting_closes_at)",
  judgingClosesAt: "iso(c.judging_closes_at)",
  judges: piece<Looking>`(
    select coalesce(json_agg((select row_to_json(person) from (select ${columns<UserRef, Site>(accountRef)}) person)
      order by j.position), '[]')
    from contest_judges j join users u on u.id = j.user_id where j.contest_id = c.id)`,
  criteria: "c.criteria",
  votesPerUser: "c.votes_per_user",
  entriesPerUser: "c.entries_per_user",
  judgeWeight: "c.judge_weight",
  winners,
});

/** The JSON of `contests c`. */
export const printedContest = (sql: Sql, looking: Looking): Fragment =>
  sql`(select row_to_json(contest) from (select ${contestColumns(sql, looking)}) contest)`;

/** A contest as somebody sees it. */
export async function selectContest(
  sql: Sql,
  { id, ...looking }: { id: string } & Looking,
): Promise<JsonText<Contest>> {
  const [row] = await sql<{ json: JsonText<Contest> }[]>`
    select ${printedContest(sql, looking)}::text as json from contests c where c.id = ${id}`;
  if (row === undefined) throw apiError("not_found");
  return row.json;
}

/** A new entry as its entrant sees it: it has no place yet. */
export async function selectEntry(
  sql: Sql,
  { id, ...looking }: { id: string } & Looking,
): Promise<JsonText<ContestEntry>> {
  const { json } = await one(sql<{ json: JsonText<ContestEntry> }[]>`
    select ${printedEntry(sql, looking)}::text as json
    from (
      select e.*, work.type from (select * from contest_entries where id = ${id} offset 0) e
        cross join lateral ${shownWork(sql, looking)} work
    ) e join contests c on c.id = e.contest_id,
      (select null::int as votes, null::numeric as score, null::int as rank) r`);
  return json;
}
