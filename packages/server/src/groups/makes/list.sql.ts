import type { ListMakes } from "@promptreg/core";
import { parseRef } from "@promptreg/core/refs";
import type { Fragment, Sql } from "../../database/sql.ts";
import { firstByCount } from "../../kernel/lists/by-count.sql.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";
import { accountsNamed, isVisibleTo, promptById, promptsAt, searchQuery } from "../prompts/index.ts";
import { type Looking, makeSummary } from "./shown.sql.ts";
import { isMakeListed, isMakeVisibleTo, isOwnMake, makeAt, makeById } from "./target.ts";

/** The requested makes, and who requests them. */
export interface Wanted extends Looking {
  query: ListMakes;
  page: Page;
}

/** The stored orders. Each has its index of what everybody finds. */
const orders = (sql: Sql) => ({
  newest: { by: sql`k.published_at`, type: sql`timestamptz` },
  trending: { by: sql`k.trending`, type: sql`float8` },
  stars: { by: sql`k.hourly_stars`, type: sql`int` },
});

/** When a draft was created, which was not published. */
const own = (sql: Sql) => ({ by: sql`coalesce(k.published_at, k.created_at)`, type: sql`timestamptz` });

/** The id of the prompt at an address, if the viewer sees it. */
const promptSeen = (sql: Sql, ref: string, caller: Looking["caller"]): Fragment => sql`(
  select p.id from ${promptsAt(sql, parseRef(ref))} there cross join lateral ${promptById(sql, sql`there.id`)} p
  where ${isVisibleTo(sql, caller)} limit 1)`;

/** The id of the make at a slug, if the viewer sees it. */
const sourceSeen = (sql: Sql, slug: string, caller: Looking["caller"]): Fragment => sql`(
  select k.id from ${makeById(sql, makeAt(sql, slug))} k
  where ${isMakeVisibleTo(sql, caller?.id ?? null)})`;

/** Whether an approved link leads from `makes k` to a prompt that the viewer sees. */
const isMadeWith = (sql: Sql, ref: string, caller: Looking["caller"]): Fragment => sql`
  k.id in (select make_id from make_links where is_shown and prompt_id = ${promptSeen(sql, ref, caller)})`;

/** The first makes of one account in an order. It is read whole: it has a thousand at most. */
const ofOne = (
  sql: Sql,
  isOfAccount: Fragment,
  { fits, isBeyond, order, take }: { fits: Fragment; isBeyond: Fragment; order: Fragment; take: number },
): Fragment => sql`
  select * from (select * from makes k where ${isOfAccount} and k.deleted_at is null offset 0) k
  where ${fits} and ${isBeyond} ${order} limit ${take}`;

/** A page of makes. Only its rows are printed. */
export async function selectMakes(sql: Sql, { query, page, ...looking }: Wanted): Promise<Listed[]> {
  const { q, maker, prompt, tag, remixOf, status, mine = false, sort = mine ? "newest" : "trending" } = query;
  const { by, type } = mine && sort === "newest" ? own(sql) : orders(sql)[sort];
  const order = sql`order by ${by} desc, k.id desc`;
  const [first, id] = page.after?.map(String) ?? [];
  // Subqueries hide the cursor position from the planner, as in the list of prompts.
  const isBeyond =
    first === undefined || id === undefined
      ? sql`true`
      : sql`(${by}, k.id) < ((select ${first}::text::${type}), (select ${id}::text))`;
  const ofMaker = (name: string) => sql`k.owner_id = (select id from ${accountsNamed(sql, name)} a limit 1)`;
  const conditions = [
    mine && maker !== undefined ? ofMaker(maker) : [],
    prompt === undefined ? [] : isMadeWith(sql, prompt, looking.caller),
    tag === undefined ? [] : sql`k.tags @> ${tag}`,
    remixOf === undefined ? [] : sql`k.remix_of_id = ${sourceSeen(sql, remixOf, looking.caller)}`,
    status === undefined ? [] : sql`k.status = ${status}`,
    q === undefined ? [] : sql`k.document @@ ${searchQuery(sql, q)}`,
  ].flat();
  const fits = conditions.reduce((all, condition) => sql`${all} and ${condition}`, sql`true`);
  const inOrder = { order, isBeyond, take: page.take };
  const found = mine
    ? ofOne(sql, isOwnMake(sql, looking.caller?.id ?? null), { ...inOrder, fits })
    : maker !== undefined
      ? ofOne(sql, ofMaker(maker), {
          ...inOrder,
          fits: sql`${isMakeListed(sql)} and ${fits}`,
        })
      : conditions.length === 0
        ? sql`select * from makes k where ${isMakeListed(sql)} and ${isBeyond} ${order} limit ${page.take}`
        : firstByCount(sql, {
            ...inOrder,
            from: sql`makes`,
            alias: sql`k`,
            listed: isMakeListed(sql),
            fits,
            few: 1_500,
          });
  return await sql<Listed[]>`
    select ${makeSummary(sql, looking)}::text as item, json_build_array(${by}, k.id) as key from (${found}) k ${order}`;
}
