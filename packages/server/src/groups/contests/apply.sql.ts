import type { ContestFile } from "@promptreg/core";
import { object } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Rendered } from "../../kernel/markdown/rendered.ts";

/** A contest as its file says it, without what is for editors. */
export type Written = Omit<ContestFile, "$schema">;

type Texts = Record<"description" | "rules" | "prizes", Rendered>;

/** The ids of accounts by their handles, in the order in which these are named. */
export async function selectJudges(sql: Sql, handles: readonly string[]): Promise<Map<string, string>> {
  const rows = await sql<{ handle: string; id: string }[]>`
    select u.handle, u.id from unnest(${[...handles]}::text[]) with ordinality named (handle, nth)
      join users u on u.handle = named.handle order by nth`;
  return new Map(rows.map(({ handle, id }) => [handle, id]));
}

export const lockContest = (sql: Sql, slug: string) =>
  sql`select from contests where slug = ${slug} for update`;

const written = object<Written>({
  slug: "c.slug",
  title: "c.title",
  description: "c.description",
  rules: "c.rules",
  prizes: "c.prizes",
  accepts: "c.accepts",
  kinds: "c.kinds",
  opensAt: "iso(c.opens_at)",
  entriesCloseAt: "iso(c.entries_close_at)",
  votingClosesAt: "iso(c.voting_closes_at)",
  judgingClosesAt: "iso(c.judging_closes_at)",
  judges:
    "array(select u.handle from contest_judges j join users u on u.id = j.user_id where j.contest_id = c.id order by j.position)",
  criteria: "c.criteria",
  votesPerUser: "c.votes_per_user",
  entriesPerUser: "c.entries_per_user",
  judgeWeight: "c.judge_weight",
});

/** The time, and a contest as its file would say it; null if there is none. */
export async function selectWritten(
  sql: Sql,
  slug: string,
): Promise<{ now: string; contest: { id: string; hasResult: boolean; written: Written } | null }> {
  const [row] = await sql<
    { now: string; contest: { id: string; hasResult: boolean; written: Written } | null }[]
  >`
    select iso(clock()) as now, (
      select json_build_object('id', c.id, 'hasResult', c.result_n is not null, 'written', ${written(sql)})
      from contests c where c.slug = ${slug}
    ) as contest`;
  return row ?? { now: "", contest: null };
}

/** The columns of a contest that its file decides, with their values. */
const valuesOf = (
  sql: Sql,
  contest: Written,
  { description, rules, prizes }: Texts,
): [string, Fragment][] => [
  ["title", sql`${contest.title}`],
  ...Object.entries({ description, rules, prizes }).flatMap(
    ([name, { text, html, renderer }]): [string, Fragment][] => [
      [name, sql`${text}`],
      [`${name}_html`, sql`${html}`],
      [`${name}_renderer`, sql`${renderer}`],
    ],
  ),
  ["accepts", sql`${contest.accepts}::text[]`],
  ["kinds", sql`${contest.kinds}::text[]`],
  ["opens_at", sql`${contest.opensAt}`],
  ["entries_close_at", sql`${contest.entriesCloseAt}`],
  ["voting_closes_at", sql`${contest.votingClosesAt}`],
  ["judging_closes_at", sql`${contest.judgingClosesAt}`],
  ["criteria", sql`${JSON.stringify(contest.criteria)}::text::jsonb`],
  ["votes_per_user", sql`${contest.votesPerUser}`],
  ["entries_per_user", sql`${contest.entriesPerUser}`],
  ["judge_weight", sql`${contest.judgeWeight}`],
];

const joined = (sql: Sql, parts: readonly Fragment[]): Fragment =>
  parts.reduce((some, more) => sql`${some}, ${more}`);

export async function insertContest(sql: Sql, contest: Written, texts: Texts): Promise<string> {
  const values = valuesOf(sql, contest, texts);
  const [row] = await sql<{ id: string }[]>`
    insert into contests (slug, ${joined(
      sql,
      values.map(([name]) => sql`${sql(name)}`),
    )})
    values (${contest.slug}, ${joined(
      sql,
      values.map(([, value]) => value),
    )}) returning id`;
  return row?.id ?? "";
}

export const updateContest = (sql: Sql, id: string, contest: Written, texts: Texts) => sql`
  update contests set ${joined(
    sql,
    valuesOf(sql, contest, texts).map(([name, value]) => sql`${sql(name)} = ${value}`),
  )},
    updated_at = clock(), revision = revision + 1
  where id = ${id}`;

/** Makes accounts the judges of a contest, and no others. What those gave who are none any more stays, and counts if they are again. */
export async function putJudges(sql: Sql, contestId: string, ids: readonly string[]): Promise<void> {
  await sql`delete from contest_judges where contest_id = ${contestId} and user_id <> all (${[...ids]}::text[])`;
  await sql`
    insert into contest_judges (contest_id, user_id, position)
    select ${contestId}, id, nth from unnest(${[...ids]}::text[]) with ordinality judge (id, nth)
    on conflict (contest_id, user_id) do update set position = excluded.position`;
}
