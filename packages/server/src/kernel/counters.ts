import { type Piece, piece } from "../database/columns.ts";
import type { Sql } from "../database/sql.ts";

/** One of the numbers that answers show in `counts`. */
interface Counter {
  /** The id of what has the number. */
  subjectId: string;
  name: string;
}

/** Counts something up or down, in the transaction of the change. Nobody waits for anybody who counts the same. */
export const count = (sql: Sql, { subjectId, name, delta }: Counter & { delta: number }) => sql`
  insert into counter_changes (subject_id, name, delta) values (${subjectId}, ${name}, ${delta})`;

/** All figures of a thing, whose id is given as SQL. */
const figures = <Given>(
  subjectId: string | ((sql: Sql, given: Given) => unknown),
): Piece<Given> => piece<Given>`(
  select name, value from counters where subject_id = ${subjectId}
  union all select name, delta from counter_changes where subject_id = ${subjectId}) figure`;

/** The JSON of all numbers of a thing, whose id is given as SQL; those that were never counted are 0. */
export const countsOf = <Counts>(subjectId: string, names: { [K in keyof Counts]: true }): Piece => piece`(
  select json_build_object(${Object.keys(names)
    .map((name) => `'${name}', coalesce(sum(value) filter (where name = '${name}'), 0)`)
    .join(", ")}) from ${figures(subjectId)})`;

/** One number of a thing, whose id is given as SQL. */
export const countOf = (subjectId: string, name: string): Piece => piece`(
  select coalesce(sum(value), 0) from ${figures(subjectId)} where name = '${name}')`;

const figuresOf = figures<Counter>((_, { subjectId }) => subjectId);

/** A number as it is now, with what this transaction has counted. */
export async function selectCount(sql: Sql, counter: Counter): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select coalesce(sum(value), 0)::float8 as count from ${figuresOf(sql, counter)} where name = ${counter.name}`;
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
