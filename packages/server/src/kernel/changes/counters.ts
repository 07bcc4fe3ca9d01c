import { one } from "../../database/rows.ts";
import { limitTo, type Piece, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";

/** One of the numbers that responses show in `counts`. */
interface Counter {
  /** The id of the thing that has the number. */
  subjectId: string;
  name: string;
}

/** Changes a count, in the transaction of the change. Transactions that change the same count do not wait for each other. */
export const count = (sql: Sql, { subjectId, name, delta }: Counter & { delta: number }) => sql`
  insert into counter_changes (subject_id, name, delta) values (${subjectId}, ${name}, ${delta})`;

/** Changes several counts. `changes` is a statement that gives the id of the thing, the name and the delta. */
export const countAll = (sql: Sql, changes: Fragment): Fragment => sql`
  insert into counter_changes (subject_id, name, delta) ${changes}`;

/** All figures of a thing, as `figure (name, value)`. `subjectId` is SQL. */
export const figures = <Given>(
  subjectId: string | ((sql: Sql, given: Given) => unknown),
): Piece<Given> => piece<Given>`(
  select name, value from counters where subject_id = ${subjectId}
  union all select name, delta from counter_changes where subject_id = ${subjectId}) figure`;

/** The JSON of all counts of a thing. `subjectId` is SQL. A name that was never counted is 0. */
export const countsOf = <Counts>(subjectId: string, names: { [K in keyof Counts]: true }): Piece => piece`(
  select json_build_object(${Object.keys(names)
    .map((name) => `'${name}', coalesce(sum(value) filter (where name = '${name}'), 0)`)
    .join(", ")}) from ${figures(subjectId)})`;

/** One number of a thing, whose id is given as SQL. */
export const countOf = (subjectId: string, name: string): Piece => piece`(
  select coalesce(sum(value), 0) from ${figures(subjectId)} where name = '${name}')`;

const figuresOf = figures<Counter>((_, { subjectId }) => subjectId);

/** The current count, including the changes of this transaction. */
export async function selectCount(sql: Sql, counter: Counter): Promise<number> {
  const { count } = await one(sql<{ count: number }[]>`
    select coalesce(sum(value), 0)::float8 as count from ${figuresOf(sql, counter)} where name = ${counter.name}`);
  return count;
}

/** The owner of the prompt or make `subject_id`. Null for anything else, such as a file of a make. */
export const ownerOf = piece`(
  select owner_id from prompts where id = subject_id union all select owner_id from makes where id = subject_id)`;

/** Changes that one statement adds up. */
const perBatch = 10_000;
const oneBatch = limitTo(perBatch);

/** Adds changes to their counts, and to those figures of this day that analytics show. Several processes may do it at once: each takes changes that no other has taken. */
export async function flushCounters(sql: Sql): Promise<void> {
  for (let taken = perBatch; taken === perBatch; ) {
    const [row] = await sql<{ taken: number }[]>`
      with taken as (
        delete from counter_changes where seq in (
          select seq from counter_changes order by seq ${oneBatch(sql)} for update skip locked)
        returning subject_id, name, delta
      ), added as (
        insert into counters as c (subject_id, name, value)
        select subject_id, name, sum(delta) from taken group by subject_id, name order by subject_id, name
        on conflict (subject_id, name) do update set value = c.value + excluded.value
      ), shown as (
        select subject_id, ${ownerOf(sql)} as owner_id, name, delta
        from taken where name in ('stars', 'forks', 'remixes', 'comments')
      ), daily as (
        insert into daily_figures as f (subject_id, part, day, key, stars, forks, comments)
        select share.subject_id, 'all', (clock() at time zone 'UTC')::date, '',
          coalesce(sum(delta) filter (where name = 'stars'), 0), coalesce(sum(delta) filter (where name in ('forks', 'remixes')), 0),
          coalesce(sum(delta) filter (where name = 'comments'), 0)
        from shown cross join lateral (values (subject_id), (owner_id)) as share (subject_id)
        where share.subject_id is not null group by 1 order by 1
        on conflict (subject_id, part, day, key) do update set
          stars = f.stars + excluded.stars, forks = f.forks + excluded.forks, comments = f.comments + excluded.comments
      )
      select count(*)::int as taken from taken`;
    taken = row?.taken ?? 0;
  }
}
