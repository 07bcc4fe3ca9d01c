import { type FamilyTree, type JsonText, limits } from "@promptreg/core";
import { limitTo, object } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { type Site, userRef } from "../../kernel/accounts/accounts.ts";
import { isOwn } from "../../kernel/accounts/ownership.ts";
import { isDecent, isListed, promptById, type Viewing } from "../prompts/index.ts";
import { isMakeListed, isOwnMake, makeById } from "./target.ts";

/** Whether a list shows `prompts p` to a viewer, or it is the viewer's own. */
const seesPrompt = (sql: Sql, caller: Viewing["caller"]): Fragment => {
  const listed = sql`${isListed(sql)} and ${isDecent(sql, caller)}`;
  return caller === null ? listed : sql`(${listed} or p.deleted_at is null and ${isOwn(sql, caller.id)})`;
};
const promptNode = object<FamilyTree["nodes"][number], Site>({
  id: "p.id",
  type: "'prompt'",
  ref: "o.handle || '/' || p.slug",
  title: "p.title",
  owner: userRef("p.owner_id"),
});
const makeNode = object<FamilyTree["nodes"][number], Site>({
  id: "k.id",
  type: "'make'",
  ref: "k.slug",
  title: "k.title",
  owner: userRef("k.owner_id"),
});

/** Steps that a statement goes at most. Several can lead to the same node. */
const mostSteps = 4 * limits.familyNodes;
const oneMore = limitTo(limits.familyNodes + 1);
const allSteps = limitTo(mostSteps);

/**
 * What a prompt came from and what came of it, as one statement. It goes step by step, the nearest first, and ends with the node after the
 * last that is shown. From what a prompt came from, it goes no way down again.
 */
export async function selectFamily(
  sql: Sql,
  { promptId, depth, caller, publicUrl }: { promptId: string; depth: number } & Viewing,
): Promise<JsonText<FamilyTree>> {
  const site = { publicUrl };
  const [row] = await sql<{ json: JsonText<FamilyTree> }[]>`
    with recursive mine as materialized (
      select k.id, k.remix_of_id from makes k
      where ${caller === null ? sql`false` : isOwnMake(sql, caller.id)}
        and k.deleted_at is null and k.status = 'published' and k.visibility = 'unlisted'
    ), hidden as materialized (
      select remix_of_id as parent, id as child from mine where remix_of_id is not null
      union all
      select l.prompt_id, l.make_id from mine join make_links l on l.make_id = mine.id where l.is_live and l.status = 'approved'
      union all
      select p.forked_from_id, p.id from (
        select * from prompts p where ${caller === null ? sql`false` : isOwn(sql, caller.id)} offset 0
      ) p where p.forked_from_id is not null and p.deleted_at is null
    ), step as (
      select ${promptId}::text as id, 0 as depth, 'root' as way
      union
      select next.id, step.depth + 1, next.way
      from step cross join lateral (
        select p.id, 'up' as way from (select forked_from_id from prompts where id = step.id offset 0) child
          cross join lateral ${promptById(sql, sql`child.forked_from_id`)} p
        where step.way <> 'down' and ${seesPrompt(sql, caller)}
        union all
        (select p.id, 'down' from (
          select * from prompts p where p.forked_from_id = step.id and ${isListed(sql)} offset 0
        ) p where step.way <> 'up' and ${isDecent(sql, caller)} ${oneMore(sql)})
        union all
        (select l.make_id, 'down' from (select * from make_links where prompt_id = step.id and is_shown offset 0) l
        where step.way <> 'up' ${oneMore(sql)})
        union all
        (select k.id, 'down' from (
          select * from makes k where k.remix_of_id = step.id and ${isMakeListed(sql)} offset 0
        ) k where step.way <> 'up' ${oneMore(sql)})
        union all
        select h.child, 'down' from hidden h where h.parent = step.id and step.way <> 'up'
      ) next
      where step.depth < ${depth}
    ), gone as materialized (select id, depth from step ${allSteps(sql)}),
    every as materialized (select id, min(depth) as depth from gone group by id order by min(depth), id ${oneMore(sql)}),
    node as materialized (select * from every order by depth, id limit ${limits.familyNodes}),
    edge as (
      select p.forked_from_id as parent, p.id as child, 'fork' as relation
      from node cross join lateral ${promptById(sql, sql`node.id`)} p
      union all
      select k.remix_of_id, k.id, 'remix' from node cross join lateral ${makeById(sql, sql`node.id`)} k
      union all
      select l.prompt_id, l.make_id, 'link'
      from node cross join lateral (select * from make_links where make_id = node.id offset 0) l
      where l.is_live and l.status = 'approved'
    )
    select json_build_object(
      'root', ${promptId}::text,
      'nodes', (select json_agg(coalesce(
        (select ${promptNode(sql, site)} from ${promptById(sql, sql`node.id`)} p join users o on o.id = p.owner_id),
        (select ${makeNode(sql, site)} from ${makeById(sql, sql`node.id`)} k)) order by node.depth, node.id) from node),
      'edges', (select coalesce(json_agg(json_build_object('from', e.parent, 'to', e.child, 'relation', e.relation)
        order by e.child, e.parent), '[]') from edge e where e.parent in (select id from node)),
      'truncated', (select count(*) > ${limits.familyNodes}::int from every) or (select count(*) >= ${mostSteps}::int from gone)
    )::text as json`;
  return row?.json as JsonText<FamilyTree>;
}
