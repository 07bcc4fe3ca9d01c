import { limitTo } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Trend } from "../../kernel/group.ts";
import { isMakeListed, isOwnMake } from "../makes/index.ts";
import { countedActs, isListed } from "../prompts/index.ts";
import { bestRuns } from "./runs.sql.ts";

/** Things in one statement, so that what it sums up stays small. */
const chunk = 200;
const oneChunk = limitTo(chunk);

/** Each window with its beginning; the time of all statements of the transaction that counts is the same. */
const spans = (sql: Sql, at: string): Fragment => sql`
  (values ('24h', ${at}::timestamptz - interval '24 hours'), ('7d', ${at}::timestamptz - interval '7 days'),
    ('30d', ${at}::timestamptz - interval '30 days'), ('all', '-infinity'::timestamptz)) as w (span, since)`;

const isActive = (sql: Sql, owner: Fragment): Fragment =>
  sql`(select u.suspended_at is null from users u where u.id = ${owner})`;

/** Calls a function with the ids of everything of a table that may be on a board, some at a time. */
async function inChunks(
  sql: Sql,
  table: "prompts" | "makes",
  work: (ids: string[]) => Promise<unknown>,
): Promise<void> {
  for (let after = "", isLast = false; !isLast; ) {
    const rows = await sql<{ id: string }[]>`
      select id from ${sql(table)} where id > ${after} and status = 'published' and deleted_at is null
      order by id ${oneChunk(sql)}`;
    const ids = rows.map(({ id }) => id);
    await work(ids);
    after = ids.at(-1) ?? after;
    isLast = ids.length < chunk;
  }
}

/** Scores all public prompts and makes, their owners, and the runs of the prompts, as of a time. */
export async function scoreAll(sql: Sql, trends: readonly Trend[], at: string): Promise<void> {
  await inChunks(sql, "prompts", async (ids) => {
    await scoreWorks(sql, { board: "prompts", at, acts: actsOfPrompts(sql, trends, ids) });
    await scoreRuns(sql, { at, ids });
  });
  await inChunks(sql, "makes", (ids) => scoreWorks(sql, { board: "makes", at, acts: actsOfMakes(sql, ids) }));
}

/** What people did with public prompts, as `id, owner_id, weight, at`. */
const actsOfPrompts = (sql: Sql, trends: readonly Trend[], ids: readonly string[]): Fragment => sql`
  select p.id, p.owner_id, a.weight, a.at
  from (${countedActs(sql, trends, { promptIds: ids, since: sql`'-infinity'::timestamptz` })}) a
    cross join lateral (select * from prompts where id = a.prompt_id offset 0) p
  where ${isListed(sql)} and ${isActive(sql, sql`p.owner_id`)}`;

/** What people did with public makes, likewise: stars and public remixes, as makes trend. */
const actsOfMakes = (sql: Sql, ids: readonly string[]): Fragment => sql`
  select k.id, k.owner_id, a.weight, a.at
  from unnest(${[...ids]}::text[]) as wanted (id) cross join lateral (select * from makes where id = wanted.id offset 0) k
    cross join lateral (
      -- In this order only one index has them without a sort, whatever statistics say.
      select user_id, starred_at as at, 3::float8 as weight
      from (select * from make_stars where make_id = k.id order by user_id offset 0) s
      union all
      select r.owner_id, max(r.published_at), 5 from (
        select k.owner_id, k.published_at from (select * from makes where remix_of_id = wanted.id offset 0) k
        where ${isMakeListed(sql)}
      ) r group by 1
      offset 0
    ) a
  where ${isMakeListed(sql)} and ${isActive(sql, sql`k.owner_id`)}
    and (select u.suspended_at is null and not (${isOwnMake(sql, sql`u.id`)}) from users u where u.id = a.user_id)`;

/** Scores works by what people did with them. What a work scores, its owner does too. */
const scoreWorks = (
  sql: Sql,
  { board, at, acts }: { board: "prompts" | "makes"; at: string; acts: Fragment },
): Promise<unknown> => sql`
  with works as (
    select w.span, a.id, a.owner_id, sum(a.weight) as score
    from (${acts}) a cross join ${spans(sql, at)} where a.at > w.since
    group by w.span, a.id, a.owner_id
  ), scored as (
    insert into leaderboard_scores (board, span, target_id, score) select ${board}, span, id, score from works
  )
  insert into leaderboard_scores as s (board, span, target_id, score)
  select 'creators', span, owner_id, sum(score) from works group by span, owner_id
  on conflict (board, span, target_id) do update set score = s.score + excluded.score`;

/** Scores prompts by their best run. */
const scoreRuns = (sql: Sql, { at, ids }: { at: string; ids: readonly string[] }): Promise<unknown> => sql`
  insert into leaderboard_scores (board, span, target_id, score, cases, run_id)
  select distinct on (w.span, r.prompt_id) 'evals', w.span, r.prompt_id, r.rate, r.cases, r.id
  from (${bestRuns(sql, ids)}) r cross join ${spans(sql, at)}
  where r.finished_at > w.since and ${isActive(sql, sql`r.owner_id`)}
  order by w.span, r.prompt_id, r.rate desc, r.cases desc, r.id desc`;
