import { limitTo } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { countAll, ownerOf } from "./counters.ts";

/** What viewers do with prompts and makes. Downloads are a number in `counts` too. */
export type Act = "view" | "rawRead" | "download" | "install" | "open";

/** Something that waits to be counted, `times` times. */
export interface Noted {
  act: Act;
  subjectId: string;
  /** Null where it does not matter who it was. */
  viewer: string | null;
  versionId: string | null;
  format: string | null;
  target: string | null;
  referrer: string | null;
  times: number;
}

/** Today in UTC, and its secret: the given one, if it has none yet. */
export async function selectSalt(sql: Sql, salt: Buffer): Promise<{ day: string; salt: Buffer }> {
  const find = () => sql<{ day: string; salt: Buffer }[]>`
    select day::text, salt from daily_salts where day = (clock() at time zone 'UTC')::date`;
  const [found] = await find();
  if (found) return found;
  await sql`insert into daily_salts (day, salt) values ((clock() at time zone 'UTC')::date, ${salt}) on conflict do nothing`;
  const [made] = await find();
  if (!made) throw new Error("the day ended while its secret was made");
  return made;
}

/** How many different tools and referrers of a thing are told apart on a day: anybody can send any. */
const keysOfDay = "100";

/**
 * Counts what was noted on a day: in all, for each version, format, tool and referrer, and for the owner. Views, downloads and openings count a viewer once a
 * day, for what was noted first. Rows are written in one order, so that two processes cannot each wait for the other.
 */
export function insertActs(sql: Sql, day: string, acts: readonly Noted[]): Fragment {
  const all = <Name extends keyof Noted>(name: Name) => acts.map((noted) => noted[name]);
  return sql`
  with today as (select ${day}::date as day), noted as materialized (
    select nth, act, subject_id, decode(viewer, 'hex') as viewer, version_id, format, target, referrer, times
    from unnest(${all("act")}::text[], ${all("subjectId")}::text[], ${all("viewer")}::text[], ${all("versionId")}::text[],
      ${all("format")}::text[], ${all("target")}::text[], ${all("referrer")}::text[], ${all("times")}::int[]
    ) with ordinality noted (act, subject_id, viewer, version_id, format, target, referrer, times, nth)
  ), new as (
    insert into daily_viewers (day, subject_id, act, viewer)
    select distinct day, subject_id, act, viewer from noted, today where viewer is not null order by 1, 2, 3, 4
    on conflict do nothing returning subject_id, act, viewer
  ), firsts as materialized (
    select noted.*, case when new.viewer is not null
      and row_number() over (partition by subject_id, act, viewer order by nth) = 1 then 1 else 0 end as first
    from noted left join new using (subject_id, act, viewer)
  ), parts as materialized (
    select share.subject_id, part, key,
      case act when 'view' then times else 0 end as views, case act when 'view' then first else 0 end as unique_views,
      case act when 'rawRead' then times else 0 end as raw_reads, case act when 'download' then first else 0 end as downloads,
      case act when 'install' then times else 0 end as installs, case act when 'open' then first else 0 end as opens
    from (select *, ${ownerOf(sql)} as owner_id from firsts) owned cross join lateral (values
      (subject_id, 'all', ''), (owner_id, 'all', ''), (owner_id, 'subject', subject_id),
      (subject_id, 'version', (select n::text from versions where id = version_id)),
      (subject_id, 'format', format), (subject_id, 'target', target), (subject_id, 'referrer', referrer)
    ) as share (subject_id, part, key)
    where share.subject_id is not null and key is not null and (first = 1 or act not in ('download', 'open'))
  ), unknown as (
    select subject_id, part, key, row_number() over (partition by subject_id, part order by key) as nth
    from (select distinct subject_id, part, key from parts where part in ('target', 'referrer')) named, today
    where not exists (
      select from daily_figures f
      where f.subject_id = named.subject_id and f.part = named.part and f.day = today.day and f.key = named.key)
  ), many as (
    select subject_id, part, key from unknown, today where nth > ${sql.unsafe(keysOfDay)} - (
      select count(*) from daily_figures f
      where f.subject_id = unknown.subject_id and f.part = unknown.part and f.day = today.day)
  ), counted as (
    insert into daily_figures as f
      (subject_id, part, day, key, views, unique_views, raw_reads, downloads, installs, opens)
    select subject_id, part, day, case when many.key is null then key else 'other' end,
      sum(views), sum(unique_views), sum(raw_reads), sum(downloads), sum(installs), sum(opens)
    from today cross join parts left join many using (subject_id, part, key)
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (subject_id, part, day, key) do update set views = f.views + excluded.views,
      unique_views = f.unique_views + excluded.unique_views, raw_reads = f.raw_reads + excluded.raw_reads,
      downloads = f.downloads + excluded.downloads, installs = f.installs + excluded.installs,
      opens = f.opens + excluded.opens
  )
  ${countAll(
    sql,
    sql`select subject_id, 'downloads', count(*)::int from new where act = 'download' group by subject_id`,
  )}`;
}

/** Rows that one statement deletes. */
const chunk = 10_000;
const someRows = limitTo(chunk);

/** Deletes who viewed what more than 30 days ago, and the secrets of the days before yesterday. Figures stay. */
export async function deleteOldActivity(sql: Sql): Promise<void> {
  const past = sql`(clock() at time zone 'UTC')::date`;
  await sql`delete from daily_salts where day < ${past} - 1`;
  const deleteSome = [
    () => sql`
      delete from daily_viewers where (day, subject_id, act, viewer) in (
        select day, subject_id, act, viewer from daily_viewers where day < ${past} - 30 ${someRows(sql)})`,
    // What a release before this one wrote.
    () => sql`
      delete from activity where (day, prompt_id, act, viewer) in (
        select day, prompt_id, act, viewer from activity where day < ${past} - 30 ${someRows(sql)})`,
  ];
  for (const deleteFrom of deleteSome)
    for (let deleted = chunk; deleted === chunk; ) ({ count: deleted } = await deleteFrom());
}
