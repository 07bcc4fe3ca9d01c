import { one } from "../../database/rows.ts";
import type { Change, ComparedAttempts } from "@promptreg/core";
import { type MatchedRuns, maxDifferences, type Sample } from "@promptreg/core/evals";
import { columns, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { type Fitting, fitting } from "../../kernel/lists/fitting.sql.ts";
import { keepKeys } from "./comparisons.sql.ts";
import { resultColumns } from "./results.sql.ts";

/** Two runs, the one before and the one that is judged. */
export interface RunPair {
  a: string;
  b: string;
}

/** Cases of two runs in the order of their keys: those after one, up to another. Null: all of them. */
export type KeyRange = { after: string; upTo: string } | null;

/** Before all keys. */
export const beginning = "";

/**
 * The key up to which a range has so many results of each run at most, and the rest of the case; null if there are no more. Keys are
 * compared with the run before them, which only the primary key has in this order.
 */
export async function selectEndOfRange(
  sql: Sql,
  { a, b }: RunPair,
  { after, results }: { after: string; results: number },
): Promise<string | null> {
  const nth = (runId: string) => sql`(
    select case_key from (
      select run_id, case_key from eval_results where (run_id, case_key) > (${runId}, ${after})
      order by run_id, case_key, attempt offset ${results - 1} limit 1
    ) e where run_id = ${runId})`;
  const last = (runId: string) => sql`(
    select case_key from (
      select run_id, case_key from eval_results
      where (run_id, case_key) > (${runId}, ${after}) and run_id <= ${runId}
      order by run_id desc, case_key desc, attempt desc limit 1
    ) e)`;
  const [row] = await sql<{ key: string | null }[]>`
    select coalesce(least(${nth(a)}, ${nth(b)}), greatest(${last(a)}, ${last(b)})) as key`;
  return row?.key ?? null;
}

/** A score, or 0 in place of one whose square no number could hold: PostgreSQL refuses that. */
const squarable = (score: string) => `case when abs(${score}) < 1e-100 then 0 else ${score} end`;

/**
 * What the attempts at a case come to. What errored or was skipped says nothing of the prompt, nor does its score. If the case got
 * another weight between two attempts, the greater one counts.
 */
const attempts = piece`
  count(rate) as attempts, avg(rate) as pass_rate, avg(case when rate is not null then ${squarable("score")} end) as score,
  max(weight) as weight`;
/** Whether an attempt passed, as a number. By filters in place of it, matching two runs takes a quarter longer. */
const rate = piece`case status when 'passed' then 1::float8 when 'failed' then 0::float8 end as rate`;

/** What became of a case, from its attempts `a` and `b`, and its weight. */
const pair = piece`
  coalesce(b.weight, a.weight) as weight,
  a.attempts as a_attempts, a.pass_rate as a_rate, a.score as a_score,
  b.attempts as b_attempts, b.pass_rate as b_rate, b.score as b_score,
  case when a.attempts is null then 'onlyB' when b.attempts is null then 'onlyA'
    when a.pass_rate is null or b.pass_rate is null then 'errored'
    when a.pass_rate < b.pass_rate then 'fixed' when a.pass_rate > b.pass_rate then 'broken'
    when b.pass_rate >= 0.5 then 'samePass' else 'sameFail' end as change`;

/** The cases of both runs within a range, matched by their key. */
function matched(sql: Sql, { a, b }: RunPair, range: KeyRange): Fragment {
  const isWithin = (runId: string) =>
    range === null
      ? sql`run_id = ${runId}`
      : sql`(run_id, case_key) > (${runId}, ${range.after}) and (run_id, case_key) <= (${runId}, ${range.upTo})`;
  const cases = (runId: string) => sql`
    select case_key, ${attempts(sql)}
    from (select case_key, score, weight, ${rate(sql)} from eval_results where ${isWithin(runId)}) e group by case_key`;
  return sql`select case_key, ${pair(sql)} from (${cases(a)}) a full join (${cases(b)}) b using (case_key)`;
}

/** The difference of a pair that counts; null for another one. */
const differenceOf = (a: string, b: string) => piece`case when weight > 0 then ${b} - ${a} end`;
const rateChange = differenceOf("a_rate", "b_rate");
const scoreChange = differenceOf("a_score", "b_score");
/** A sample of a measure, from rows with a `weight`, the values `a` and `b`, and their difference `d`. `values` is SQL for a list. */
const sample = ({ a, b, d }: Record<"a" | "b" | "d", string>, values: string) => piece`json_build_object(
  'pairs', count(${d}),
  'a', coalesce(sum(weight * ${a}) filter (where ${d} is not null), 0),
  'b', coalesce(sum(weight * ${b}) filter (where ${d} is not null), 0),
  'fell', count(*) filter (where ${d} < 0),
  'rose', count(*) filter (where ${d} > 0),
  'isWhole', coalesce(bool_and(abs(${d}) = 1) filter (where ${d} <> 0), true),
  'lightest', min(weight) filter (where ${d} is not null),
  'heaviest', max(weight) filter (where ${d} is not null),
  'weight', coalesce(sum(weight) filter (where ${d} is not null), 0),
  'weightSquares', coalesce(sum(weight ^ 2) filter (where ${d} is not null), 0),
  'sum', coalesce(sum(weight * ${d}) filter (where ${d} <> 0), 0),
  'squares', coalesce(sum(weight * ${d} ^ 2) filter (where ${d} <> 0), 0),
  'weightedSum', coalesce(sum(weight ^ 2 * ${d}) filter (where ${d} <> 0), 0),
  'weightedSquares', coalesce(sum((weight * ${d}) ^ 2) filter (where ${d} <> 0), 0),
  'values', case when count(${d}) <= ${most} then ${values.replace("?", `${d} is not null`)}
    when count(*) filter (where ${d} <> 0) <= ${most} then ${values.replace("?", `${d} <> 0`)} end)`;
const most = String(maxDifferences);
const valueOf = (d: string) => `json_agg(json_build_object('difference', ${d}, 'weight', weight))`;
/** Lists of many cases are made only where they are wanted. */
const sampleOfMany = (names: Record<"a" | "b" | "d", string>) =>
  sample(names, `(select coalesce(${valueOf(names.d)}, '[]') from matched where ?)`);
const passRateSample = sampleOfMany({ a: "a_rate", b: "b_rate", d: "rate_change" });
const scoreSample = sampleOfMany({ a: "a_score", b: "b_score", d: "score_change" });
const metricSample = sample(
  { a: "a_score", b: "b_score", d: "change" },
  `coalesce(${valueOf("change")} filter (where ?), '[]')`,
);

/** What some cases of two runs come to, without the scores of assertions. */
export type Figures = Omit<MatchedRuns, "changes" | "metrics"> & { changes: Partial<MatchedRuns["changes"]> };

/** What the cases within a range come to. `keeping`: stores their keys for the comparison of this method. */
export async function selectFigures(
  sql: Sql,
  runs: RunPair,
  { range, keeping }: { range: KeyRange; keeping: number | null },
): Promise<Figures> {
  const kept = keeping === null ? sql`` : sql`, kept as (${keepKeys(sql, { ...runs, method: keeping })})`;
  const { figures } = await one(sql<{ figures: Figures }[]>`
    with matched as materialized (
      select *, ${rateChange(sql)} as rate_change, ${scoreChange(sql)} as score_change
      from (${matched(sql, runs, range)}) m
    )${kept}
    select json_build_object(
      'changes', (select coalesce(json_object_agg(change, count), '{}') from (
        select change, count(*) from matched group by change) counted),
      'erroredInB', count(*) filter (where change = 'errored' and a_rate is not null),
      'missingWeight', coalesce(sum(weight) filter (where a_rate is not null and b_rate is null), 0),
      'unequalAttempts', count(*) filter (where a_attempts > 0 and b_attempts > 0 and a_attempts <> b_attempts),
      'passRate', ${passRateSample(sql)}, 'score', ${scoreSample(sql)}) as figures
    from matched`);
  return figures;
}

/** How many assertions the results of two runs have. */
export async function countAssertions(sql: Sql, { a, b }: RunPair): Promise<number> {
  const { assertions } = await one(sql<{ assertions: number }[]>`
    select coalesce(sum(jsonb_array_length(assertions)), 0)::int as assertions
    from eval_results where run_id in (${a}, ${b})`);
  return assertions;
}

const squarableScore = piece`${squarable("x.score")}`;
/**
 * The scores of assertions by type, those of most cases first. A type that occurs twice in a case is averaged. They are added in the
 * order of the cases, so that the last digit of a sum does not depend on the plan.
 */
export async function selectMetrics(
  sql: Sql,
  { a, b }: RunPair,
  limit: number,
): Promise<({ name: string } & Sample)[]> {
  const scores = (runId: string) => sql`
    select case_key, type, avg(${squarableScore(sql)}) as score, max(weight) as weight
    from eval_results e cross join lateral jsonb_to_recordset(e.assertions) as x (type text, score float8)
    where run_id = ${runId} and status in ('passed', 'failed') and abs(x.score) <= 1e100 group by case_key, type`;
  const rows = await sql<{ name: string; sample: Sample }[]>`
    select type as name, ${metricSample(sql)} as sample
    from (
      select type, weight, a_score, b_score, ${scoreChange(sql)} as change from (
        select type, b.weight, a.score as a_score, b.score as b_score
        from (${scores(a)}) a join (${scores(b)}) b using (case_key, type) order by type, case_key
      ) pairs
    ) metrics
    group by type order by count(*) desc, type limit ${limit}`;
  return rows.map(({ name, sample }) => ({ name, ...sample }));
}

/** The first keys within a range, of cases that changed so. */
export async function selectKeys(
  sql: Sql,
  runs: RunPair,
  { range, changes, take }: { range: KeyRange; changes: readonly Change[]; take: number },
): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select case_key as key from (${matched(sql, runs, range)}) m
    where change = any (${[...changes]}) order by case_key limit ${take}`;
  return rows.map(({ key }) => key);
}

/** The first keys of two runs after one. Each is looked for by the one before it. */
export function nextKeys(
  sql: Sql,
  { a, b }: RunPair,
  { after, take }: { after: string; take: number },
): Fragment {
  const next = (runId: string, key: Fragment) => sql`(
    select case_key from (
      select run_id, case_key from eval_results where (run_id, case_key) > (${runId}, ${key})
      order by run_id, case_key, attempt limit 1
    ) e where run_id = ${runId})`;
  const least = (key: Fragment) => sql`select least(${next(a, key)}, ${next(b, key)}) as case_key`;
  return sql`
    with recursive found as (
      ${least(sql`${after}`)} union all ${least(sql`found.case_key`)} from found where case_key is not null
    ) select case_key from found where case_key is not null limit ${take}`;
}

/** One side of a case, from the columns of `pair`. */
const attemptsOf = (side: "a" | "b") =>
  columns<Omit<ComparedAttempts, "result">>({
    attempts: `c.${side}_attempts`,
    passRate: `c.${side}_rate`,
    score: `c.${side}_score`,
  });
const attemptsColumns = { a: attemptsOf("a"), b: attemptsOf("b") };

/** The result after an attempt, in the order of the primary key, if it is of the same case of the run. */
const nextResult = (sql: Sql, runId: string, { key, attempt }: Record<"key" | "attempt", Fragment>) => sql`(
  select attempt, status, score, weight, size, ${rate(sql)} from (
    select * from eval_results where (run_id, case_key, attempt) > (${runId}, ${key}, ${attempt})
    order by run_id, case_key, attempt limit 1
  ) e where run_id = ${runId} and case_key = ${key}) e`;

/** What a run has of the cases in `keys`, with the attempt that says most about what is wrong. */
const casesOf = (sql: Sql, runId: string): Fragment => sql`(
  with recursive attempt as (
    select case_key, e.* from keys
      cross join lateral ${nextResult(sql, runId, { key: sql`keys.case_key`, attempt: sql`0` })}
    union all
    select case_key, e.* from attempt a
      cross join lateral ${nextResult(sql, runId, { key: sql`a.case_key`, attempt: sql`a.attempt` })}
  )
  select case_key, ${attempts(sql)},
    (array_agg(attempt order by ${badness(sql)}, attempt))[1] as worst,
    (array_agg(size order by ${badness(sql)}, attempt))[1] as size
  from attempt group by case_key)`;
const badness = piece`array_position(array['failed', 'errored', 'passed', 'skipped'], status)`;

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

/** Attempts of both runs that a page reads, so that cases with a thousand of them are as cheap as others: a page of them ends early. */
const attemptsOfPage = 10_000;

/** The number of the last attempt of a run at the case in `keys`: it has no more than that. */
const lastAttempt = (sql: Sql, runId: string): Fragment => sql`coalesce((
  select attempt from (
    select run_id, case_key, attempt from eval_results
    where (run_id, case_key) <= (${runId}, keys.case_key)
    order by run_id desc, case_key desc, attempt desc limit 1
  ) e where run_id = ${runId} and case_key = keys.case_key), 0)`;

/** Those of the cases with these keys that changed so, as many as fit on a page. */
export function selectCases(
  sql: Sql,
  runs: RunPair,
  {
    keys,
    changes,
    datasetId,
  }: { keys: Fragment; changes: readonly Change[]; datasetId: { a: string | null; b: string | null } },
): Promise<Fitting[]> {
  const rows = sql`
    select * from (
      select case_key, ${pair(sql)}, a.worst as a_worst, b.worst as b_worst,
        coalesce(a.size + b.size, a.size, b.size) as size
      from ${casesOf(sql, runs.a)} a full join ${casesOf(sql, runs.b)} b using (case_key)
    ) m where change = any (${[...changes]})`;
  return sql<Fitting[]>`
    with wanted as materialized (${keys}), keys as materialized (
      select case_key from (
        select case_key, sum(attempts) over (order by case_key) - attempts as before from (
          select case_key, ${lastAttempt(sql, runs.a)} + ${lastAttempt(sql, runs.b)} as attempts from wanted keys
        ) counted
      ) measured where before < ${attemptsOfPage}::int
    )
    select json_build_object('caseKey', c.case_key, 'change', c.change,
        'a', ${sideOf(sql, "a", { runId: runs.a, datasetId: datasetId.a })},
        'b', ${sideOf(sql, "b", { runId: runs.b, datasetId: datasetId.b })})::text as item,
      json_build_array(c.case_key) as key, (select count(*)::int from wanted) as found
    from ${fitting(sql, { rows, order: sql`case_key` })} c order by c.case_key`;
}

export const givenKeys = (sql: Sql, keys: readonly string[]): Fragment =>
  sql`select case_key from unnest(${[...keys]}::text[]) k (case_key)`;
