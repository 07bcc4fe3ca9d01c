import { limitTo, piece } from "../../database/columns.ts";
import { one } from "../../database/rows.ts";
import type { Sql } from "../../database/sql.ts";
import { figures } from "../../kernel/changes/counters.ts";

/** Votes of one statement. */
const batch = 1_000;

/**
 * Comments whose votes changed get their score. A comment that somebody changes just now is left for the next time: whoever has it may
 * wait for another one.
 */
const scoreSome = piece`
  with due as materialized (
    select seq, comment_id from comment_votes order by seq ${limitTo(batch)}
  ), wanted as materialized (
    select c.id from (select distinct comment_id as id from due) d
      cross join lateral (select id from comments where id = d.id offset 0) c
  ), free as materialized (
    select c.id from comments c where c.id = any (array(select id from wanted)) for no key update skip locked
  ), done as (
    delete from comment_votes v using due d where v.seq = d.seq and d.comment_id in (select id from free) returning 1
  ), scored as (
    update comments c set score = wilson_bound(votes.up, votes.down)
    from free f cross join lateral (
      select coalesce(sum(value) filter (where name = 'up'), 0) as up, coalesce(sum(value) filter (where name = 'down'), 0) as down
      from ${figures("f.id")}
    ) votes
    where c.id = f.id
  )
  select count(*)::int as count from done`;

export async function scoreComments(sql: Sql): Promise<void> {
  for (let scored = batch; scored === batch; )
    ({ count: scored } = await one(sql<{ count: number }[]>`${scoreSome(sql)}`));
}
