import {
  type AnalyticsMetric,
  analyticsMetrics,
  type AnalyticsPart,
  type AnalyticsQuery,
  type AnalyticsRange,
  type JsonText,
  type MyAnalytics,
  type PromptAnalytics,
} from "@promptreg/core";
import { piece } from "../../database/columns.ts";
import { one } from "../../database/rows.ts";
import type { Sql } from "../../database/sql.ts";

/** The days that are asked for, and how many they are. */
export async function selectRange(
  sql: Sql,
  { from, to, interval = "day" }: AnalyticsQuery,
): Promise<AnalyticsRange & { days: number }> {
  return one(sql<(AnalyticsRange & { days: number })[]>`
    select asked."from"::text, asked.to::text, ${interval}::text as interval, asked.to - asked."from" + 1 as days
    from (select coalesce(${to ?? null}::date, (clock() at time zone 'UTC')::date) as to) ended
      cross join lateral (select coalesce(${from ?? null}::date, ended.to - 29) as "from", ended.to as to) asked`);
}

/** `uniqueViews` is `unique_views`. */
const columnOf = (metric: AnalyticsMetric) =>
  metric.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const each = (print: (metric: AnalyticsMetric) => string) => analyticsMetrics.map(print).join(", ");
/** All figures of some days, added up, by their names. */
const sums = each((metric) => `coalesce(sum(f.${columnOf(metric)}), 0)::bigint as "${metric}"`);

const inRange = piece<AnalyticsRange>`
  day between ${(_, { from }) => from}::text::date and ${(_, { to }) => to}::text::date`;

/** Figures of the days of a range in intervals, from `daily`: each interval as JSON, and all. */
const intervals = piece<AnalyticsRange>`
  points as (
    select at, ${sums} from (
      select distinct date_trunc(${(_, { interval }) => interval}::text, day) as at
      from generate_series(${(_, { from }) => from}::text::timestamp, ${(_, { to }) => to}::text::timestamp, interval '1 day') day
    ) wanted left join daily f on date_trunc(${(_, { interval }) => interval}::text, f.day::timestamp) = at
    group by at
  ), totals as (select ${sums} from daily f)`;

/** The same as fields of an object, without the figures that nobody asked for. */
const shown = piece<AnalyticsRange & { unwanted: readonly AnalyticsMetric[] }>`
  'range', json_build_object('from', ${(_, { from }) => from}::text, 'to', ${(_, { to }) => to}::text,
    'interval', ${(_, { interval }) => interval}::text),
  'totals', (select to_jsonb(totals) - ${(_, { unwanted }) => unwanted}::text[] from totals),
  'series', (select json_agg(jsonb_build_object('at', iso(at at time zone 'UTC')) || (to_jsonb(points) - 'at')
    - ${(_, { unwanted }) => unwanted}::text[] order by at) from points)`;

/** The most keys of a breakdown. */
const keysShown = "100";

interface Wanted extends AnalyticsRange {
  promptId: string;
  unwanted: readonly AnalyticsMetric[];
  groupBy: AnalyticsPart | null;
}

const ofPrompt = piece<Wanted>`
  with daily as materialized (
    select * from daily_figures where subject_id = ${(_, { promptId }) => promptId} and part = 'all'
      and ${inRange}
  ), ${intervals}, shares as (
    select key, ${sums} from daily_figures f
    where subject_id = ${(_, { promptId }) => promptId} and part = ${(_, { groupBy }) => groupBy}::text
      and ${inRange}
    group by key
  )
  select json_build_object(${shown}, 'breakdown', (
    select coalesce(json_agg(to_jsonb(share) - ${(_, { unwanted }) => unwanted}::text[]), '[]') from (
      select * from shares order by ${each((metric) => `"${metric}"`).replaceAll(", ", " + ")} desc, key limit ${keysShown}
    ) share
  ))::text as json`;

/** What happened to a prompt. It reads a row for each day, and of a breakdown one for each day and key. */
export async function selectOfPrompt(sql: Sql, wanted: Wanted): Promise<JsonText<PromptAnalytics>> {
  const [row] = await (ofPrompt(sql, wanted) as unknown as Promise<{ json: JsonText<PromptAnalytics> }[]>);
  return row?.json ?? "";
}

/** How many prompts are named. */
const topPrompts = "10";

const ofAccount = piece<AnalyticsRange & { accountId: string; unwanted: readonly AnalyticsMetric[] }>`
  with daily as materialized (
    select * from daily_figures where subject_id = ${(_, { accountId }) => accountId} and part = 'all' and ${inRange}
  ), ${intervals}, ranked as (
    select key as id, sum(views) + sum(raw_reads) as reads from daily_figures
    where subject_id = ${(_, { accountId }) => accountId} and part = 'subject' and ${inRange} group by key
  ), top as materialized (
    select p.id, p.slug, p.title, reads from ranked join prompts p using (id) where reads > 0 and deleted_at is null
    order by reads desc, id limit ${topPrompts}
  )
  select json_build_object(${shown}, 'topPrompts', (
    select coalesce(json_agg(jsonb_build_object('prompt', json_build_object('ref', u.handle || '/' || top.slug, 'title', top.title))
      || to_jsonb(own) order by reads desc, top.id), '[]')
    from top join users u on u.id = ${(_, { accountId }) => accountId} cross join lateral (
      select ${sums} from daily_figures f where subject_id = top.id and part = 'all' and ${inRange}
    ) own
  ))::text as json`;

/**
 * What happened to the prompts and makes that an account has or had: a row for each day. The prompts that were read the most take a row for each
 * of them and day, in the order of the index.
 */
export async function selectOfAccount(
  sql: Sql,
  wanted: AnalyticsRange & { accountId: string },
): Promise<JsonText<MyAnalytics>> {
  const [row] = await (ofAccount(sql, { ...wanted, unwanted: [] }) as unknown as Promise<
    { json: JsonText<MyAnalytics> }[]
  >);
  return row?.json ?? "";
}
