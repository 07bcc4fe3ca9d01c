import type { InstallStats, InstallWindow, JsonText } from "@promptreg/core";
import { limitTo, object, piece } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import { count, countAll, figures } from "../../kernel/changes/counters.ts";
import type { Trend } from "../../kernel/group.ts";
import { promptById, wantedNumber } from "../prompts/index.ts";

/** The version that was installed; null if there is none. */
export async function selectInstalled(
  sql: Sql,
  promptId: string,
  wanted: { version: number | undefined; label: string | undefined },
): Promise<{ n: number; versionId: string } | null> {
  const [row] = await sql<{ n: number; versionId: string }[]>`
    select v.n, v.id as "versionId" from ${promptById(sql, sql`${promptId}`)} p
      join versions v on v.prompt_id = p.id and v.n = ${wantedNumber(sql, wanted)}`;
  return row ?? null;
}

interface Install {
  promptId: string;
  target: string;
  /** A hash. */
  installation: Buffer;
  n: number;
  client: string | null;
  userId: string | null;
}

/** Records an install. False: the installation was counted in the last 24 hours. Of two at the same time, one is counted. */
export async function upsertInstall(sql: Sql, install: Install): Promise<boolean> {
  const { promptId, target, installation, n, client, userId } = install;
  const { count: written } = await sql`
    insert into installs as i (prompt_id, target, installation, version_n, client, user_id)
    values (${promptId}, ${target}, ${installation}, ${n}, ${client}, ${userId})
    on conflict (prompt_id, target, installation) do update
    set version_n = excluded.version_n, client = excluded.client, user_id = excluded.user_id, at = excluded.at
    where i.at <= excluded.at - interval '24 hours'`;
  return written > 0;
}

/** An account counts once for a prompt, however often it installs it. */
export const insertInstaller = (sql: Sql, { promptId, userId }: { promptId: string; userId: string }) => sql`
  insert into installers (prompt_id, user_id) values (${promptId}, ${userId})
  on conflict (prompt_id, user_id) do update set at = excluded.at`;

/** Targets of a day that are told apart: anybody can send any. */
const targetsOfDay = 100;

/** The figures of a day belong to a subject of their own, as SQL over the id of a prompt and a date. */
const daily = (kind: "target" | "version", promptId: string, day: string): string =>
  `${promptId} || '/installs/${kind}/' || ${day}`;
const today = "(clock() at time zone 'UTC')::date";

const targetsToday = figures(daily("target", "asked.prompt_id", today));
const dailyChanges = piece<Pick<Install, "promptId" | "target" | "n">>`
  with asked as (
    select ${(_, { promptId }) => promptId}::text as prompt_id, ${(_, { target }) => target}::text as target,
      ${(_, { n }) => n}::int as n
  ), known as (
    select distinct name from asked cross join lateral ${targetsToday}
  )
  select ${daily("version", "prompt_id", today)}, n::text, 1 from asked
  union all
  select ${daily("target", "prompt_id", today)}, case
    when target in (select name from known) or (select count(*) from known) < ${String(targetsOfDay)} then target
    else 'other' end, 1 from asked`;

/**
 * Counts an install: for all time, and for its day, target and version. Figures are appended, so that a thousand people can
 * install one prompt at once and wait for nobody.
 */
export async function countInstall(
  sql: Sql,
  install: Pick<Install, "promptId" | "target" | "n">,
): Promise<void> {
  await count(sql, { subjectId: install.promptId, name: "installs", delta: 1 });
  await countAll(sql, dailyChanges(sql, install));
}

/** How many targets and versions are listed. */
const most = 50;

const figuresOfDay = (kind: "target" | "version") => piece`
  select day, name, sum(value)::int as count
  from days cross join lateral ${figures(daily(kind, "prompt_id", "day"))} group by day, name`;

const stats = object<InstallStats, { window: InstallWindow }>({
  window: piece<{ window: InstallWindow }>`${(_, { window }) => window}::text`,
  total: "(select coalesce(sum(count), 0) from versions)",
  byTarget: `(select coalesce(json_agg(top order by top.count desc, top.target), '[]') from (
    select name as target, sum(count) as count from targets group by name order by 2 desc, 1 limit ${most}) top)`,
  byVersion: `(select coalesce(json_agg(top order by top.count desc, top."versionNumber" desc), '[]') from (
    select name::int as "versionNumber", sum(count) as count from versions group by name order by 2 desc, 1 desc limit ${most}) top)`,
  trend: `(select coalesce(json_agg(one order by one.date), '[]') from (
    select day as date, sum(count) as count from versions group by day) one)`,
});

const selection = piece<{ promptId: string; window: InstallWindow }>`
  with days as (
    select ${(_, { promptId }) => promptId}::text as prompt_id, ${today} - nth as day
    from generate_series(0, ${(_, { window }) => Number.parseInt(window, 10)}::int - 1) nth
  ), targets as materialized (${figuresOfDay("target")}), versions as materialized (${figuresOfDay("version")})
  select ${stats}::text as text`;

/** The installs of a window. It reads figures of days, however many installs there were. */
export async function selectStats(
  sql: Sql,
  wanted: { promptId: string; window: InstallWindow },
): Promise<JsonText<InstallStats>> {
  const [row] = await sql<{ text: string }[]>`${selection(sql, wanted)}`;
  return row?.text ?? "";
}

/** Rows that one statement deletes. */
const someRows = limitTo(10_000);

/** Deletes some of the records of more than 30 days ago. The figures stay. */
export const deleteOldInstalls = (sql: Sql) => sql`
  delete from installs where (prompt_id, target, installation) in (
    select prompt_id, target, installation from installs
    where at < clock() - interval '30 days' order by at ${someRows(sql)})`;

/** What an install counts in rankings, and who did one. */
export const trend: Trend = {
  weight: 2,
  hourly: "installs",
  // One prompt after the other, by the index: for so many at once, older PostgreSQL reads the whole table.
  acts: (sql, { promptIds, since }) => sql`
    select wanted.id as prompt_id, i.user_id, i.at from unnest(${[...promptIds]}::text[]) as wanted (id) cross join lateral (
      select user_id, at from installers where prompt_id = wanted.id and at > ${since} offset 0
    ) i`,
};
