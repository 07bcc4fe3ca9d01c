import type { Change, CompareRuns, ComparedAttempts } from "@promptreg/core";
import type { Sample } from "@promptreg/core/evals";
import { columns, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { type Fitting, fitting } from "../../kernel/fitting.sql.ts";
import type { Page } from "../../kernel/page.ts";
import { resultColumns } from "./results.sql.ts";

/** Two runs, the one before and the one that is judged. */
export interface RunPair {
  a: string;
  b: string;
}

/** The cases of a run over their attempts. What errored or was skipped says nothing of the prompt, nor does its score. */
const casesOf = (sql: Sql, runId: string, where: Fragment): Fragment => sql`
  select case_key, count(*) filter (where status in ('passed', 'failed')) as attempts,
    avg((status = 'passed')::int::float8) filter (where status in ('passed', 'failed')) as pass_rate,
    avg(score) filter (where status in ('passed', 'failed')) as score
  from eval_results where run_id = ${runId} ${where} group by case_key`;

/** The cases of both runs, matched by their key, and what became of each. */
const matched = (sql: Sql, { a, b }: RunPair, where = sql``): Fragment => sql`
  select case_key, a.attempts as a_attempts, a.pass_rate as a_rate, a.score as a_score,
    b.attempts as b_attempts, b.pass_rate as b_rate, b.score as b_score,
    case when a.attempts is null then 'onlyB' when b.attempts is null then 'onlyA'
      when a.pass_rate is null or b.pass_rate is null then 'errored'
      when a.pass_rate < b.pass_rate then 'fixed' when a.pass_rate > b.pass_rate then 'broken'
      when b.pass_rate >= 0.5 then 'samePass' else 'sameFail' end as change
  from (${casesOf(sql, a, where)}) a full join (${casesOf(sql, b, where)}) b using (case_key)`;

/** The sample of a measure, from pairs with the columns `a` and `b`. */
const sample = (a: string, b: string) => piece`json_build_object(
  'pairs', count(*) filter (where ${a} is not null and ${b} is not null),
  'a', coalesce(sum(${a}) filter (where ${b} is not null), 0),
  'b', coalesce(sum(${b}) filter (where ${a} is not null), 0),
  'differences', coalesce(json_agg(${b} - ${a}) filter (where ${a} <> ${b}), '[]'))`;
const passRateSample = sample("a_rate", "b_rate");
const scoreSample = sample("a_score", "b_score");
const metricSample = sample("a.score", "b.score");

/** What two runs come to, without the scores of assertions. */
export interface ComparedFigures {
  changes: Partial<Record<Change, number>>;
  erroredInB: number;
  unequalAttempts: number;
  passRate: Sample;
  score: Sample;
}

const figures = (sql: Sql): Fragment => sql`
  select json_build_object(
    'changes', (select coalesce(json_object_agg(change, count), '{}') from (
      select change, count(*) from matched group by change) counted),
    'erroredInB', count(*) filter (where change = 'errored' and a_rate is not null),
    'unequalAttempts', count(*) filter (where a_attempts > 0 and b_attempts > 0 and a_attempts <> b_attempts),
    'passRate', ${passRateSample(sql)}, 'score', ${scoreSample(sql)}) as figures
  from matched`;

/** How many assertions the results of two runs have; null if the runs have too many results to count them. */
export async function countAssertions(
  sql: Sql,
  { a, b }: RunPair,
  maxResults: number,
): Promise<number | null> {
  const [row] = await sql<{ results: number; assertions: number }[]>`
    select count(*)::int as results, coalesce(sum(jsonb_array_length(assertions)), 0)::int as assertions
    from (select assertions from eval_results where run_id in (${a}, ${b}) limit ${maxResults + 1}) e`;
  return row === undefined || row.results > maxResults ? null : row.assertions;
}

/** The scores of assertions by type, those of most cases first. A type that occurs twice in a case is averaged. */
export const selectMetrics = (sql: Sql, { a, b }: RunPair, limit: number) => {
  const scores = (runId: string) => sql`
    select case_key, type, avg(x.score) as score
    from eval_results e cross join lateral jsonb_to_recordset(e.assertions) as x (type text, score float8)
    where run_id = ${runId} and status in ('passed', 'failed') and abs(x.score) <= 1e100 group by case_key, type`;
  return sql<({ name: string } & Sample)[]>`
    select type as name, (sample ->> 'pairs')::int as pairs, (sample ->> 'a')::float8 as a, (sample ->> 'b')::float8 as b,
      sample -> 'differences' as differences
    from (
      select type, ${metricSample(sql)} as sample
      from (${scores(a)}) a join (${scores(b)}) b using (case_key, type) group by type
      order by count(*) desc, type limit ${limit}
    ) metrics`;
};

/** One side of a case, from the columns of `matched`. */
const attemptsOf = (side: "a" | "b") =>
  columns<Omit<ComparedAttempts, "result">>({
    attempts: `c.${side}_attempts`,
    passRate: `c.${side}_rate`,
    score: `c.${side}_score`,
  });
const attemptsColumns = { a: attemptsOf("a"), b: attemptsOf("b") };

/** The attempt at a case that says most about what is wrong. */
const worstOf = (sql: Sql, runId: string): Fragment => sql`(
  select attempt, size from eval_results e where e.run_id = ${runId} and e.case_key = m.case_key
  order by array_position(array['failed', 'errored', 'passed', 'skipped'], e.status), e.attempt limit 1)`;

/** A side of a case as JSON, with its worst attempt; null if the run has no such case. */
const sideOf = (
  sql: Sql,
  side: "a" | "b",
  { runId, datasetId }: { runId: string; datasetId: string | null },
): Fragment => sql`
  (select row_to_json(s) from (
    select ${attemptsColumns[side](sql)}, (
      select row_to_json(r) from (select ${resultColumns(sql, { datasetId })}) r) as result
    from eval_results e
    where e.run_id = ${runId} and e.case_key = c.case_key and e.attempt = c.${sql(`${side}_worst`)}
  ) s)`;

/** What a page of a comparison shows. */
interface WantedPage {
  runs: RunPair;
  datasetId: { a: string | null; b: string | null };
  wanted: Pick<CompareRuns, "only" | "caseKey">;
  page: Pick<Page, "after" | "take">;
}

/** A page of the cases in `matched`, by their key. */
function pageOfCases(
  sql: Sql,
  { runs, datasetId, wanted: { only, caseKey }, page: { take } }: WantedPage,
): Fragment {
  const changes =
    only === undefined
      ? sql`true`
      : only === "changed"
        ? sql`change not in ('samePass', 'sameFail')`
        : sql`change = ${only}`;
  const rows = sql`
    select m.*, worst_a.attempt as a_worst, worst_b.attempt as b_worst,
      coalesce(worst_a.size, 0) + coalesce(worst_b.size, 0) as size
    from (
      select * from matched where ${changes} and ${caseKey === undefined ? sql`true` : sql`case_key = ${caseKey}`}
      order by case_key limit ${take}
    ) m left join lateral ${worstOf(sql, runs.a)} worst_a on true
      left join lateral ${worstOf(sql, runs.b)} worst_b on true`;
  return sql`
    select json_build_object('caseKey', c.case_key, 'change', c.change,
        'a', ${sideOf(sql, "a", { runId: runs.a, datasetId: datasetId.a })},
        'b', ${sideOf(sql, "b", { runId: runs.b, datasetId: datasetId.b })})::text as item, c.case_key, c.found
    from ${fitting(sql, { rows, order: sql`case_key` })} c`;
}

/** The first page with what the runs come to, in one statement: matching them is most of the work. */
export async function selectFirstPage(
  sql: Sql,
  wanted: WantedPage,
): Promise<{ figures: ComparedFigures; rows: Fitting[] }> {
  const [first, ...rows] = await sql<(Fitting & { figures: ComparedFigures })[]>`
    with matched as materialized (${matched(sql, wanted.runs)}), figures as (${figures(sql)}),
      page as (${pageOfCases(sql, wanted)})
    select figures, item, json_build_array(case_key) as key, found
    from (
      select figures, null as item, null as case_key, 0 as found from figures
      union all select null, item, case_key, found from page
    ) both_parts order by case_key nulls first`;
  if (first === undefined) throw new Error(`runs could not be compared: ${wanted.runs.a}, ${wanted.runs.b}`);
  return { figures: first.figures, rows };
}

export const selectNextPage = (sql: Sql, wanted: WantedPage): Promise<Fitting[]> => sql<Fitting[]>`
  with matched as (${matched(sql, wanted.runs, sql`and case_key > ${wanted.page.after?.[0] as string}`)})
  select item, json_build_array(case_key) as key, found from (${pageOfCases(sql, wanted)}) page order by case_key`;
