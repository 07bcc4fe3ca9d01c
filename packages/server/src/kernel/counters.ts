import type { Fragment, Sql } from "../database/sql.ts";

/** One of the numbers that answers show in `counts`. */
interface Counter {
  /** The id of what has the number. */
  subjectId: string;
  name: string;
}

/** Counts something up or down, in the transaction of the change. Nobody waits for anybody who counts the same. */
export const count = (sql: Sql, { subjectId, name, delta }: Counter & { delta: number }) => sql`
  insert into counter_changes (subject_id, name, delta) values (${subjectId}, ${name}, ${delta})`;

const figures = (sql: Sql, subjectId: Fragment): Fragment => sql`(
  select name, value from counters where subject_id = ${subjectId}
  union all select name, delta from counter_changes where subject_id = ${subjectId}) figure`;

/** The JSON of all numbers of a thing, whose id is given; those that were never counted are 0. */
export const countsOf = <Counts>(
  sql: Sql,
  subjectId: Fragment,
  names: readonly (keyof Counts & string)[],
): Fragment => sql`(
  select json_object_agg(named.name, coalesce(counted.value, 0))
  from unnest(${[...names]}::text[]) as named (name)
    left join (select name, sum(value) as value from ${figures(sql, subjectId)} group by name) counted using (name))`;

/** A number as it is now, with what this transaction has counted. */
export async function selectCount(sql: Sql, { subjectId, name }: Counter): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select coalesce(sum(value), 0)::float8 as count from ${figures(sql, sql`${subjectId}`)} where name = ${name}`;
  return row?.count ?? 0;
}

/** What one statement adds up. */
const perBatch = 10_000;

/** Adds up what was counted. Any number of processes may do it at once: each takes what no other one has. */
export async function flushCounters(sql: Sql): Promise<void> {
  for (let taken = perBatch; taken === perBatch; ) {
    const [row] = await sql<{ taken: number }[]>`
      with taken as (
        delete from counter_changes where seq in (
          select seq from counter_changes order by seq limit ${perBatch} for update skip locked)
        returning subject_id, name, delta
      ), added as (
        insert into counters as c (subject_id, name, value)
        select subject_id, name, sum(delta) from taken group by subject_id, name order by subject_id, name
        on conflict (subject_id, name) do update set value = c.value + excluded.value
      )
      select count(*)::int as taken from taken`;
    taken = row?.taken ?? 0;
  }
}
