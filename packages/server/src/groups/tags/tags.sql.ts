import { one } from "../../database/rows.ts";
import type { JsonText, ListTags, Tag, TagDetail } from "@promptreg/core";
import { limitTo, object, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { type ByCount, firstByCount } from "../../kernel/lists/by-count.sql.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";
import type { TagRow } from "./target.ts";
import { promptSummary, selectByCount, type Viewing } from "../prompts/index.ts";

/** What a page of a tag shows, and how many of its prompts say which tags go with it. */
const mostShown = 10;
const mostCompared = 100;
/** Up to this many matches are sorted. */
const few = 5_000;

/** How many prompts have `tags t` now, those of the last seconds included; and how many makes and posts. */
const promptCount = piece`
  t.prompt_count + (select coalesce(sum(c.delta), 0) from tag_changes c where c.name = t.name)`;
const makeCount = piece`
  t.make_count + (select coalesce(sum(c.make_delta), 0) from tag_changes c where c.name = t.name)`;
const postCount = piece`
  t.post_count + (select coalesce(sum(c.post_delta), 0) from tag_changes c where c.name = t.name)`;

const tag = object<Tag>({ name: "t.name", promptCount, makeCount, postCount });

/** A page of tags. Each order has its index. */
export function selectTags(sql: Sql, { q, sort = "count" }: ListTags, { after, take }: Page) {
  const [count = null, name = null] = after ?? [];
  const isByName = sort === "name";
  const isAfter = isByName
    ? sql`t.name > ${name}`
    : sql`t.prompt_count <= ${count}::bigint and (t.prompt_count < ${count}::bigint or t.name > ${name})`;
  const order = isByName ? sql`order by t.name` : sql`order by t.prompt_count desc, t.name`;
  const isBeyond = after ? isAfter : sql`true`;
  const begins = q === undefined ? sql`true` : beginsWith(sql, sql`t.name`, sql`${q}`);
  const found =
    q === undefined || isByName
      ? sql`select * from tags t where ${listed(sql)} and ${begins} and ${isBeyond} ${order} limit ${take}`
      : firstByCount(sql, { ...tagsByCount(sql, begins), isBeyond, take });
  return sql<Listed[]>`
    select ${tag(sql)}::text as item, json_build_array(t.prompt_count, t.name) as key from (${found}) t ${order}`;
}

const listed = (sql: Sql): Fragment => sql`
  (t.prompt_count > 0 or t.make_count > 0 or t.post_count > 0)
    and (${promptCount(sql)} > 0 or ${makeCount(sql)} > 0 or ${postCount(sql)} > 0)`;

/** The most used of the tags that fit a condition. A tag that the last seconds left unused is shown no more. */
export const tagsByCount = (sql: Sql, fits: Fragment): Omit<ByCount, "isBeyond" | "take"> => ({
  from: sql`tags`,
  alias: sql`t`,
  listed: listed(sql),
  fits,
  order: sql`order by t.prompt_count desc, t.name`,
  few,
});

/** Whether a name begins with a text. The end of the range is above every character. */
export const beginsWith = (sql: Sql, name: Fragment, start: Fragment): Fragment => sql`
  (${name} >= ${start} and ${name} < ${start} || ${"\u{10ffff}"})`;

/** A tag with its most starred prompts, and the tags that these have. */
export async function selectTag(
  sql: Sql,
  { name, prompts, makes, posts, viewing }: TagRow & { viewing: Viewing },
): Promise<JsonText<TagDetail>> {
  const order = sql`order by p.hourly_stars desc, p.id desc`;
  // How many there are is known: of many, none is read to count them.
  const first = { order, take: mostCompared, few: prompts > few ? 0 : few };
  const { json } = await one(sql<{ json: JsonText<TagDetail> }[]>`
    with top as materialized (${selectByCount(sql, { query: { tag: [name] }, caller: viewing.caller }, first)})
    select json_build_object(
      'name', ${name}::text,
      'counts', json_build_object('prompts', ${prompts}::int, 'makes', ${makes}::int, 'posts', ${posts}::int),
      'related', (select coalesce(json_agg(r.tag order by r.count desc, r.tag), '[]') from (
        select tag, count(*) from top cross join unnest(top.tags) tag
        where tag <> ${name} group by tag order by count(*) desc, tag limit ${mostShown}) r),
      'topPrompts', (select coalesce(json_agg(item), '[]') from (
        select ${promptSummary(sql, viewing)} as item
        from (select * from top p ${order} limit ${mostShown}) p join users o on o.id = p.owner_id ${order}) shown)
    )::text as json`);
  return json;
}

/** Changes that one statement adds up. */
const perBatch = 10_000;
const oneBatch = limitTo(perBatch);

/** Adds changes to their tags, as `flushCounters` does for counters. A tag that nothing has any more goes. */
export async function addUpTags(sql: Sql): Promise<void> {
  for (let taken = perBatch; taken === perBatch; ) {
    const added = await one(sql<{ taken: number }[]>`
      with taken as (
        delete from tag_changes where seq in (
          select seq from tag_changes order by seq ${oneBatch(sql)} for update skip locked)
        returning name, delta, make_delta, post_delta
      ), added as (
        insert into tags as t (name, prompt_count, make_count, post_count)
        select name, sum(delta), sum(make_delta), sum(post_delta) from taken group by name order by name
        on conflict (name) do update set prompt_count = t.prompt_count + excluded.prompt_count, make_count = t.make_count + excluded.make_count,
          post_count = t.post_count + excluded.post_count
        returning name
      )
      select count(*)::int as taken from taken`);
    taken = added.taken;
  }
}

/** Counts the tags by which everybody finds something, before and after a change. */
export const countTags = (
  sql: Sql,
  column: "make_delta" | "post_delta",
  { before, after }: { before: readonly string[]; after: readonly string[] },
) => sql`
  insert into tag_changes (name, delta, ${sql(column)})
  select tag, 0, sum(delta) from (
    select unnest(${[...after]}::text[]), 1 union all select unnest(${[...before]}::text[]), -1
  ) change (tag, delta) group by tag having sum(delta) <> 0`;
